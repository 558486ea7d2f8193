#pragma once

#include <memory>
#include <string>
#include <utility>

namespace stepcast {

/// A text that does not change and that its copies share: 300,000 kernels of one name hold it once.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT(google-explicit-constructor): stands where a text stood
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string(text)) {}

  const std::string& text() const {
    static const std::string kEmpty;
    return text_ ? *text_ : kEmpty;
  }
  operator const std::string&() const {  // NOLINT(google-explicit-constructor)
    return text();
  }
  bool empty() const { return text().empty(); }
  /// The same copy: what differs may be the same text all the same.
  const void* identity() const { return text_.get(); }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace stepcast
