import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type PanelProps = {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
  /** Its content reaches the border: lists and tables. */
  isFlush?: boolean
  note?: ComponentChildren
}

/** A section of a page with a heading. */
export function Panel({ title, actions, children, isFlush, note }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel${isFlush ? ' flush' : ''}`} aria-labelledby={id}>
      <header class="row panelHead">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p class="hint">{note}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      <div class="stack panelBody">{children}</div>
    </section>
  )
}

type PageHeadProps = {
  title: ComponentChildren
  above?: ComponentChildren
  below?: ComponentChildren
  actions?: ComponentChildren
}

/** The head of a page: its place, h1 and actions. */
export function PageHead({ title, above, below, actions }: PageHeadProps) {
  return (
    <header class="row pageHead">
      <div class="pageTitle">
        {above && <div class="pageAbove">{above}</div>}
        <h1 tabIndex={-1} id="title">
          {title}
        </h1>
        {below && <div class="line pageBelow">{below}</div>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </header>
  )
}
