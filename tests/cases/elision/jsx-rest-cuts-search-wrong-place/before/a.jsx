<Input
  {...rest}
  size="m"
/>
<Select
  {...other}
  size="s"
/>
