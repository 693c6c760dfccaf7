// The transfers of a step: what each id moves, and its Transfer in any group.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "block/layer.h"
#include "train/layer_settings.h"
#include "train/step/actors.h"
#include "train/step/loads.h"
#include "train/step_plan.h"

namespace moesim {

class StepMoves {
 public:
  StepMoves(const TrainScenario&, const LayerSettings&, const Actors&, StepLoads&);

  std::uint32_t add(TransferKind, std::string_view label, const Exchange&);
  std::uint32_t add(TransferKind, std::string_view label, const LoadedExchange&);
  std::uint32_t add(const ExpertExchange&);      // equal exchanges, of any layer and pass, are one

  TransferKind kind(std::uint32_t id) const { return templates_[id].kind; }
  std::string_view label(std::uint32_t id) const { return templates_[id].label; }

  /// SMs that its kernels hold on each member.
  Beside held(GroupId, std::uint32_t id) const;
  /// Valid until the group's next transfer.
  const Transfer& transfer(GroupId, std::uint32_t id, BlockTag);

 private:
  struct Template {
    TransferKind kind;
    std::string_view label;
    std::variant<Exchange, LoadedExchange, ExpertExchange> what;
    std::vector<std::unique_ptr<PreparedExchange>> prepared;   // by group shape; only of expert exchanges; null until asked for
  };
  std::uint32_t add(Template);
  const RankLoad& heaviest(const ActorGroup&, BlockTag);
  Transfer onto_hottest(const Transfer&, const ActorGroup&, const GroupLoads&) const;
  Transfer expert_exchange(Template&, const ActorGroup&, GroupId, BlockTag);
  Transfer make(Template&, const ActorGroup&, GroupId, BlockTag);
  const Transfer& drawn(GroupId, std::uint32_t id, BlockTag);

  const TrainScenario& scenario_;
  const LayerSettings& settings_;
  const Actors& actors_;
  StepLoads& loads_;
  std::vector<Template> templates_;
  std::vector<std::vector<Transfer>> known_;   // [id][group shape]: transfers that do not depend on a draw
  std::vector<std::vector<bool>> is_known_;
  std::vector<Transfer> current_;              // of each group: the last one that depends on a draw
  using Drawn = std::vector<std::vector<Transfer>>;   // [layer][micro-batch]; empty until asked for
  std::vector<std::vector<Drawn>> drawn_;      // [id][group]; only in fold, where transfers have few members: both passes ask for each
};

}  // namespace moesim
