// No row of a table is lost: it is in a series, or said to be unanswered.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.h"
#include "calibration/kernel_tables.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

struct Sample {
  const char* kind;
  const char* device;
  const char* columns;
  const char* row;
  std::vector<const char*> words;   // columns in which a word may be strange
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"alps", "alps-gh200", "test,network,bytes,time_us,algbw_GBps", "nccl_all_reduce_2nodes_8gpu,cxi,8,17.93,0.1", {"network"}},
      {"attention", "a100_sxm", "system,framework,kernel,attn_dtype,kv_dtype,batch,seq,heads,kv_heads,head_dim,latency_us",
       "a100_sxm,trtllm-1.0.0,torch_flow,bfloat16,bfloat16,1,128,16,4,128,17.24", {"attn_dtype", "kv_dtype"}},
      {"decode", "a100_sxm", "system,framework,kernel,kv_dtype,batch,kv_len,heads,kv_heads,head_dim,latency_us", "a100_sxm,trtllm-1.0.0,torch_flow,bfloat16,1,128,32,4,128,14.34",
       {"kv_dtype"}},
      {"gemm", "h100_sxm", "system,framework,kernel,dtype,m,n,k,latency_us", "h100_sxm,trtllm-1.3.0rc20,torch_flow,bfloat16,1,512,512,3.47", {"dtype"}},
      {"mla", "a100_sxm", "system,framework,phase,mla_dtype,kv_dtype,heads,batch,seq_or_kv_len,latency_us", "a100_sxm,trtllm-1.0.0,context,bfloat16,bfloat16,8,1,16,15.02",
       {"phase", "mla_dtype", "kv_dtype"}},
      {"moe", "h100_sxm", "system,framework,kernel,hidden,inter,topk,experts,dtype,ep,distribution,tokens,latency_us",
       "h100_sxm,trtllm-1.3.0rc20,moe_torch_flow_cutlass,7168,2048,8,256,fp8_block,1,balanced,1,191.85", {"dtype", "distribution"}},
      {"moe_alltoall", "gb200", "system,version,op,kernel,dtype,tokens_per_rank,hidden,topk,experts,ep,distribution,latency_us",
       "gb200,1.3.0rc10,alltoall_prepare,NVLinkTwoSided,bfloat16,1,7168,8,256,4,balanced,11.38", {"op", "dtype"}},
      {"nccl", "a100_sxm", "system,nccl_version,op,num_gpus,bytes,latency_us", "a100_sxm,2.27.3,all_gather,8,512,15.56", {"op"}},
      {"nccl_multinode", "aws-p5-h100", "op,nodes,gpus,size_MB,out_algbw_GBps", "all_gather,2,16,32,140.06", {"op"}},
      {"quantize", "h100_sxm", "system,framework,op,m,k,latency_us", "h100_sxm,trtllm-1.3.0rc20,compute_scale,1,32,7.31", {"op"}},
      {"training", "b200_bf16_ceperm", "system,op,shape,peak_tflops,efficiency", "b200_bf16_ceperm,matmul,b=1; m=4096; k=8192; n=10240; layout=TN,2250,0.6452", {"op"}},
  };
  return all;
}

std::string machine_of(const std::string& device) {
  const std::map<std::string, std::string> names{{"a100_sxm", "dgx-a100"}, {"h100_sxm", "dgx-h100"}, {"gb200", "gb200-nvl72"}, {"b200_bf16_ceperm", "b200-simumax"}};
  const auto found = names.find(device);
  return found == names.end() ? device : found->second;
}

/// The row with one cell changed.
std::string with(const Sample& s, const std::string& column, const std::string& word) {
  std::string columns = s.columns, row = s.row, out;
  for (std::size_t c = 0, r = 0; c <= columns.size();) {
    const std::size_t column_end = std::min(columns.find(',', c), columns.size()), row_end = std::min(row.find(',', r), row.size());
    out += (c == 0 ? "" : ",") + (columns.substr(c, column_end - c) == column ? word : row.substr(r, row_end - r));
    c = column_end + 1, r = row_end + 1;
  }
  return out;
}

TEST(UnansweredRows, CountEveryRowThatNoSeriesHas) {
  for (const Sample& s : samples())
    for (const char* column : s.words) {
      SCOPED_TRACE(std::string(s.kind) + ", " + column);
      const CsvTable t = CsvTable::parse(std::string(s.columns) + "\n" + s.row + "\n" + with(s, column, "strange") + "\n" + with(s, column, "") + "\n", "t.csv");
      const auto kind = kernel_tables().make(s.kind);
      UnansweredRows unanswered;
      std::size_t answered = 0;
      for (const TimedSeries& series : kind->read(t, s.device, load_hw_profile(machine_of(s.device), kData), unanswered)) answered += series.rows.size();
      EXPECT_EQ(answered, 1U);
      ASSERT_EQ(unanswered.reasons().size(), 2U);
      EXPECT_NE(unanswered.reasons()[0].first.find(std::string(column) + " strange"), std::string::npos) << unanswered.reasons()[0].first;
      EXPECT_EQ(unanswered.reasons()[0].second, 1);
    }
}

TEST(UnansweredRows, OtherNamesOfAFormatAreTheSameSeries) {
  const std::string columns = "system,framework,kernel,dtype,m,n,k,latency_us\n", first = "h100_sxm,f,k,", rest = ",1,512,512,3.47\n";
  const CsvTable t = CsvTable::parse(columns + first + "bfloat16" + rest + first + "bf16" + rest + first + "torch.bfloat16" + rest + first + "fp8" + rest + first + "float8_e4m3fn" + rest, "t.csv");
  const std::vector<TimedSeries> series = kernel_tables().make("gemm")->series(t, "h100_sxm", load_hw_profile("dgx-h100", kData));
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].format, "bfloat16");
  EXPECT_EQ(series[0].rows.size(), 3U);
  EXPECT_EQ(series[1].rows.size(), 2U);
}

TEST(UnansweredRows, ADeviceMustBeNamed) {
  const CsvTable t = CsvTable::parse("system,op\nh100_sxm,a\n,b\n", "t.csv");
  try {
    (void)kernel_tables().make("gemm")->devices(t);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "t.csv:3: system: found \"\", allowed is the name of a device or of a machine");
  }
}

}  // namespace
}  // namespace moesim
