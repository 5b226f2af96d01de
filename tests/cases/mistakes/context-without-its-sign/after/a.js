    on = () => {
      emit()
    }
  limit = 1
  }

  get x () {
