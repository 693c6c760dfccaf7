// Models by name, by path and in place; what `extends` does.
#include "model/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "model/count.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

const fs::path kData = MOESIM_SOURCE_DIR;

class LoadModel : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "load_model" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

template <class Load>
std::string error(Load load) {
  try {
    load();
  } catch (const InputError& e) { return e.what(); }
  return "no error";
}

TEST_F(LoadModel, TakesANameOfTheData) { EXPECT_EQ(load_model("mixtral-8x7b", kData).num_layers(), 32); }

TEST_F(LoadModel, SuggestsTheNearestName) {
  const std::string text = error([] { load_model("qwen3-30b-a3", kData); });
  EXPECT_THAT(text, testing::HasSubstr("found \"qwen3-30b-a3\", allowed is a model"));
  EXPECT_THAT(text, testing::EndsWith("did you mean \"qwen3-30b-a3b\"?"));
}

TEST_F(LoadModel, CallsADownloadedConfigAfterItsFolder) {
  const std::string text = R"({"extends": "llama-3.1-8b"})";
  EXPECT_EQ(load_model(write("my-model/config.json", text), kData).name, "my-model");
  EXPECT_EQ(load_model(write("my-other.json", text), kData).name, "my-other");
}

// In a config null is Python's None and says something: no query rank; a key left out would be the 1536 of the class.
TEST_F(LoadModel, NullInAnExtendingFileIsTheNullOfTheConfig) {
  const ModelSpec model = load_model(write("no-rank.json", R"({"extends": "deepseek-v3", "q_lora_rank": null})"), kData);
  EXPECT_EQ(std::get<Mla>(model.kinds[0].parts[0]).q_lora_rank, 0);
}

TEST_F(LoadModel, ExtendedKeysWin) {
  const ModelSpec model = load_model(write("half.json", R"({"extends": "mixtral-8x7b", "num_hidden_layers": 16})"), kData);
  EXPECT_EQ(model.num_layers(), 16);
  EXPECT_EQ(model.moe()->num_experts, 8);
  EXPECT_THAT(model.warnings, testing::IsEmpty());
}

// What was published of Mixtral 8x7B says nothing about half of it, or about what extends that half.
TEST_F(LoadModel, PublishedTotalsAreOfTheModelAsPublished) {
  const std::string half = write("half.json", R"({"extends": "mixtral-8x7b", "num_hidden_layers": 16})");
  EXPECT_GT(load_model("mixtral-8x7b", kData).published_total_params, 0);
  EXPECT_GT(load_model(write("same.json", R"({"extends": "mixtral-8x7b", "_note": "as it is"})"), kData).published_total_params, 0);
  EXPECT_EQ(load_model(half, kData).published_total_params, 0);
  EXPECT_EQ(load_model(half, kData).published_active_params, 0);
  EXPECT_EQ(load_model(write("grandchild.json", R"({"extends": ")" + half + "\"}"), kData).published_total_params, 0);
  EXPECT_EQ(load_model(write("own.json", R"({"extends": "mixtral-8x7b", "num_hidden_layers": 16, "_published_total_params_b": 23})"), kData)
                .published_total_params, 23e9);
}

TEST_F(LoadModel, AMisspeltOverrideIsNotedWithWhatWasMeant) {
  const std::string file = write("slip.json", R"({"extends": "mixtral-8x7b", "num_hiden_layers": 16})");
  EXPECT_THAT(load_model(file, kData).warnings, testing::ElementsAre(file + ": num_hiden_layers: unknown key, not used; did you mean \"num_hidden_layers\"?"));
}

TEST_F(LoadModel, ErrorsOfAnExtendedModelNameTheExtendingFile) {
  const std::string file = write("bad.json", R"({"extends": "mixtral-8x7b", "num_experts_per_tok": 9})");
  EXPECT_EQ(error([&] { load_model(file, kData); }),
            file + ": num_experts_per_tok: found 9, allowed is at most num_local_experts = 8");
}

TEST_F(LoadModel, MayStandInADocument) {
  const Document inside = Document::parse(R"({"extends": "qwen3-30b-a3b", "num_experts": 64})", "scenario.json");
  EXPECT_EQ(load_model(inside, kData).moe()->num_experts, 64);
}

TEST_F(LoadModel, ListsItsNamesSorted) {
  const std::vector<std::string> names = model_names(kData);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_THAT(names, testing::IsSupersetOf({"deepseek-v3", "mixtral-8x7b", "qwen3-235b-a22b", "llama-3-70b"}));
}

}  // namespace
}  // namespace moesim
