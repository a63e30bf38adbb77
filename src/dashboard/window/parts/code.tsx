import type { ComponentChildren } from 'preact'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { CopyButton } from './button.tsx'

/** Laying out more characters than this is slow in browsers. */
const mostShown = 100_000

/** A text to read or copy; never rendered as markup. */
export function Code({ text, label, isTall }: { text: string; label: string; isTall?: boolean }) {
  const isCut = text.length > mostShown
  return (
    <div class={`code${isTall ? ' tall' : ''}`}>
      <pre tabIndex={0} aria-label={label} role="group">
        {isCut ? text.slice(0, mostShown) : text}
      </pre>
      <div class="codeCopy">
        <CopyButton text={text} />
      </div>
      {isCut && <p class="hint">{frameWords.cutText(mostShown, text.length)}</p>}
    </div>
  )
}

/** Values with their names. */
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren] | undefined | false)[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** An identifier: monospaced, shortened in the row, complete in its title. */
export const Id = ({ of }: { of: string }) => (
  <code class="id" title={of}>
    <bdi>{of}</bdi>
  </code>
)

/** Short code texts side by side, such as scopes. */
export const CodeChips = ({ of }: { of: readonly string[] }) => (
  <p class="row">
    {of.map((text) => (
      <code key={text} class="chip">
        {text}
      </code>
    ))}
  </p>
)
