import type { IconNode } from 'lucide'
import { h } from 'preact'

/** An icon of the set, as large as the text. Text beside it has the same meaning. */
export function Icon({ of, label, class: name = '' }: { of: IconNode; label?: string; class?: string }) {
  return (
    <svg
      class={`icon ${name}`}
      viewBox="0 0 24 24"
      aria-hidden={label ? undefined : 'true'}
      aria-label={label}
      role={label ? 'img' : undefined}
    >
      {of.map(([tag, attributes]) => h(tag, attributes as object))}
    </svg>
  )
}
