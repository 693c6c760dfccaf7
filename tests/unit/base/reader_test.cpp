// What a Reader takes for keys that its object leaves out.
#include "base/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"

namespace moesim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ReaderWithDefaults : public testing::Test {
 protected:
  const Json object_ = Json::parse(R"({"given": 1, "none": null})"), defaults_ = Json::parse(R"({"given": 2, "none": 3, "left_out": 4, "nothing": null})");
  Reader reader_{object_, "f", "", &defaults_};
};

TEST_F(ReaderWithDefaults, TakesThemForKeysLeftOutAndNotForNull) {
  EXPECT_EQ(reader_.integer("given"), 1);
  EXPECT_EQ(reader_.find_integer("none"), std::nullopt);
  EXPECT_EQ(reader_.integer("left_out"), 4);
  EXPECT_EQ(reader_.find_integer("nothing"), std::nullopt);
  EXPECT_THAT(reader_.absent(), IsEmpty());
  EXPECT_FALSE(reader_.has("left_out"));
}

TEST_F(ReaderWithDefaults, RemembersWhatStandsNowhere) {
  EXPECT_EQ(reader_.find_flag("a"), std::nullopt);
  EXPECT_EQ(reader_.find_integers("b"), std::nullopt);
  EXPECT_EQ(reader_.find_object("c").has_value(), false);
  reader_.ignore("d");
  EXPECT_THAT(reader_.absent(), ElementsAre("a", "b", "c"));
}

TEST_F(ReaderWithDefaults, NeverCallsThemUnread) {
  reader_.ignore("none");
  EXPECT_THAT(reader_.unread(), ElementsAre("given"));
}

TEST_F(ReaderWithDefaults, SaysOfABadOneThatItIsADefault) {
  try {
    (void)reader_.integer("left_out", {1, 3});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "f: left_out: found 4, allowed is an integer from 1 to 3; the file leaves it out, and this is its default");
  }
}

}  // namespace
}  // namespace moesim
