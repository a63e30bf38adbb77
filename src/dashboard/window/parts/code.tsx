import type { ComponentChildren } from 'preact'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { CopyButton } from './button.tsx'

/** A browser takes long to lay out more characters than these. */
const mostShown = 100_000

/** A text to read or copy, as it is: never markup. */
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

/** A value beside its name. */
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

/** An identifier: monospaced, cut in the middle of the row, whole in its title. */
export const Id = ({ of }: { of: string }) => (
  <code class="id" title={of}>
    <bdi>{of}</bdi>
  </code>
)

/** Short texts of a program beside each other: scopes. */
export const CodeChips = ({ of }: { of: readonly string[] }) => (
  <p class="row">
    {of.map((text) => (
      <code key={text} class="chip">
        {text}
      </code>
    ))}
  </p>
)
