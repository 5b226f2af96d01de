#include <vector>

class Grid {
public:
  int width() const {
    return width_;
  }

  int height() const {
    return height_ + 1;
  }

private:
  int width_ = 0;
  int height_ = 0;
};

int area(const Grid& grid) {
  return grid.width() * grid.height();
}
