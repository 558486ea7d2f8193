#include "sim/report/png/png_module.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <librsvg/rsvg.h>

namespace stepcast {
namespace {

constexpr double kScale = 2;
constexpr double kMostPixels = 64e6;
constexpr double kLongestSide = 32'000;  // of cairo's images

struct Free {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

std::string text_of(GError* error) {
  std::string text = error == nullptr ? "unknown error" : error->message;
  g_clear_error(&error);
  return text;
}

cairo_status_t append(void* png, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

std::string draw(const std::string& svg, std::string& png) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, Free> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle)
    return text_of(error);
  double width = 0, height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0)
    return "it has no size";
  const double scale = std::min(
      {kScale, kLongestSide / std::max(width, height), std::sqrt(kMostPixels / (width * height))});
  const std::unique_ptr<cairo_surface_t, Free> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * scale)),
                                 static_cast<int>(std::ceil(height * scale))));
  const std::unique_ptr<cairo_t, Free> context(cairo_create(surface.get()));
  cairo_scale(context.get(), scale, scale);
  const RsvgRectangle all{0, 0, width, height};
  if (rsvg_handle_render_document(handle.get(), context.get(), &all, &error) == 0)
    return text_of(error);
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  return status == CAIRO_STATUS_SUCCESS ? "" : cairo_status_to_string(status);
}

}  // namespace
}  // namespace stepcast

extern "C" void stepcast_draw_png(const std::string& svg, std::string& png, std::string& error) {
  error = stepcast::draw(svg, png);
}
