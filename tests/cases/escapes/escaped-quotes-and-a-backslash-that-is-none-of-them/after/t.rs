let a = "y"; // the separator `\` there
