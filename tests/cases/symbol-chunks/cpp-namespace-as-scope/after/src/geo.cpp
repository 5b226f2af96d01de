#include <string>
#define API __attribute__((visibility("default")))

namespace geo {

// Scales a value.
template <class T>
API T scale(T v) {
  const char* close = "}";
  auto raw = R"x(}} )" { )x";
  return v * 2;
}

class Shape {
 public:
  Shape() : w_{1}, h_{2} {}
  virtual ~Shape();
  int area() const { return w_ * h_; }
  int area(int k) const {
    // }
    return k * area();
  }

 private:
  int w_, h_;
};

Shape::~Shape() {
#ifdef TRACE
  trace("~Shape {");
#else
  (void)0;
#endif
}

}  // namespace geo
