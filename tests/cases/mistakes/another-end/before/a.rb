if a
  if b
  end
end
