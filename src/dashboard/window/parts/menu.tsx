import { ChevronDown } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

type MenuProps = {
  label: ComponentChildren
  /** The accessible name of a label that shows only a value or an icon. */
  name?: string
  children: ComponentChildren
  variant?: string
  /** The panel is aligned with the end of the button. */
  isEnd?: boolean
}

/** A button that opens a panel below it. Escape, a click elsewhere and a choice close the panel. */
export function Menu({ label, name, children, variant = '', isEnd }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event) => {
      const menu = details.current
      if (!menu?.open || (event instanceof KeyboardEvent && event.key !== 'Escape')) return
      if (event instanceof KeyboardEvent) menu.querySelector('summary')?.focus()
      else if (menu.contains(event.target as Node) && !(event.target as Element).closest('a,[data-closes]')) return
      menu.open = false
    }
    addEventListener('click', close)
    addEventListener('keydown', close)
    return () => {
      removeEventListener('click', close)
      removeEventListener('keydown', close)
    }
  }, [])
  return (
    <details class={`menu ${variant}${isEnd ? ' end' : ''}`} ref={details}>
      <summary>
        {name && <span class="hidden">{name} </span>}
        {label}
        <Icon of={ChevronDown} />
      </summary>
      <div class="menuPanel">{children}</div>
    </details>
  )
}
