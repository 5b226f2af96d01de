      }

      if (v) {
        // remove it
        x()
