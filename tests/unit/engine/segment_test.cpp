#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/segment.h"

namespace moesim {
namespace {

Time draw(RandomStream& random, std::uint64_t below) { return Time{static_cast<std::int64_t>(random() % below)}; }

TEST(Segment, of_many_kernels_equals_running_them_one_by_one) {
  for (std::int64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(1, "segment", {seed});
    const Time h0 = draw(random, 100), d0 = draw(random, 300);
    Time h = h0, d = d0;
    Segment all;
    const std::uint64_t n = random() % 20;
    for (std::uint64_t i = 0; i < n; ++i) {
      const Time host = draw(random, 20), device = draw(random, 20);
      h += host;                    // launched
      d = std::max(d, h) + device;  // runs when the stream is free and it has been launched
      all = all.then(Segment::kernel(host, device));
    }
    EXPECT_EQ(h, h0 + all.host);
    if (n > 0) {
      EXPECT_EQ(d, std::max(d0 + all.device, h0 + all.lag));
    }
    EXPECT_EQ(all.kernels, n);
    EXPECT_GE(all.lag, all.device);
  }
}

TEST(Segment, composition_is_associative_and_the_empty_segment_is_neutral) {
  RandomStream random(2, "segment");
  for (int i = 0; i < 300; ++i) {
    const auto some = [&] { return Segment::kernel(draw(random, 9), draw(random, 9)).then(Segment::kernel(draw(random, 9), draw(random, 9))); };
    const Segment a = some(), b = some(), c = some();
    EXPECT_EQ(a.then(b).then(c), a.then(b.then(c)));
    EXPECT_EQ(Segment{}.then(a), a);
    EXPECT_EQ(a.then(Segment{}), a);
  }
}

TEST(Segment, has_the_closed_form_of_two_kernels) {
  // Launches end at 5 and 5 + 3 = 8 after the host begins; device 10 then 2. Free stream: 5 + 10 = 15, then max(15, 8) + 2 = 17.
  const Segment s = Segment::kernel(Time{5}, Time{10}).then(Segment::kernel(Time{3}, Time{2}));
  EXPECT_EQ(s, (Segment{Time{8}, Time{12}, Time{17}, 2}));
}

}  // namespace
}  // namespace moesim
