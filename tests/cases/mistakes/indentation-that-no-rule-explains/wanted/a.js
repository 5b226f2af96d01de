      }

      if (w) {
        // remove it
        x()
