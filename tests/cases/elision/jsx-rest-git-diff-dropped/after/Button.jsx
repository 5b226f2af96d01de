export function Button({ className, ...rest }) {
  return (
    <button
      className={className}
      {...rest}
      type="button"
    >
      ok
    </button>
  );
}
