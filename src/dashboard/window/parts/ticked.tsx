/** Renders text between backticks as code. */
export const Ticked = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
