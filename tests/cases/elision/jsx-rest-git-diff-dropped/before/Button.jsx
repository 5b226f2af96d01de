export function Button({ className, ...rest }) {
  return (
    <button
      className={className}
      disabled
      type="button"
    >
      ok
    </button>
  );
}
