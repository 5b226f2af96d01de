    on = () => {
      emit()
    }
  }

  get x () {
