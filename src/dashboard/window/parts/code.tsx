import type { ComponentChildren } from 'preact'
import { CopyButton } from './button.tsx'

/** A text to read or copy, as it is: never markup. */
export function Code({ text, label, isTall }: { text: string; label: string; isTall?: boolean }) {
  return (
    <div class={`code${isTall ? ' tall' : ''}`}>
      <pre tabIndex={0} aria-label={label} role="group">
        {text}
      </pre>
      <div class="codeCopy">
        <CopyButton text={text} />
      </div>
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
