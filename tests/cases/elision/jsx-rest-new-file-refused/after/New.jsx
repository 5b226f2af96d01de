export const New = ({ ...rest }) => (
  <input
    {...rest}
    id="a"
  />
);
