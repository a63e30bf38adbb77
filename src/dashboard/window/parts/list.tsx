import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { useKeys } from '../data/keys.ts'

export type Column = { name: string; label: ComponentChildren; isNumber?: boolean }

type ListProps<Row> = {
  /** The name of the table, and of its columns in CSS: `list-{variant}`. */
  label: string
  variant: string
  columns: readonly Column[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The cells in the order of the columns. The first has the link of the row. */
  cells: (row: Row) => readonly ComponentChildren[]
  /** The link of a row, which the keyboard cursor opens; without it there is no cursor. */
  hrefOf?: (row: Row) => string | undefined
  /** Opens a row that has no address. */
  onOpenOf?: (row: Row) => (() => void) | undefined
  toneOf?: (row: Row) => string | undefined
  /** Gives each row a check box that selects it. */
  selection?: { labelOf: (row: Row) => string; has: (key: string) => boolean; toggle: (row: Row) => void } | undefined
  /** Called near the end of the rows. */
  onEnd?: (() => void) | undefined
  /** Shown above the first row: "12 new". */
  before?: ComponentChildren
}

/** Rows have one line, and two below 720 px. */
const heights = { wide: 44, narrow: 68 }
const narrow = matchMedia('(max-width: 719px)')

function useIsNarrow(): boolean {
  const [is, set] = useState(narrow.matches)
  useEffect(() => {
    const change = () => set(narrow.matches)
    narrow.addEventListener('change', change)
    return () => narrow.removeEventListener('change', change)
  }, [])
  return is
}

/** Renders only the visible rows as the window scrolls. */
function useWindowed(count: number, height: number, body: { current: HTMLElement | null }) {
  const [, render] = useReducer((n: number) => n + 1, 0)
  const [margin, setMargin] = useState(0)
  const options: VirtualizerOptions<Window, Element> = {
    count,
    estimateSize: () => height,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    scrollMargin: margin,
    scrollPaddingStart: 104,
    scrollPaddingEnd: 16,
    overscan: 8,
    initialRect: { width: innerWidth, height: innerHeight },
    onChange: () => render(0),
  }
  const ref = useRef<Virtualizer<Window, Element>>(undefined)
  ref.current ??= new Virtualizer(options)
  const virtualizer = ref.current
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => {
    virtualizer._willUpdate()
    const top = Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY)
    if (top !== margin) setMargin(top)
  })
  useLayoutEffect(() => virtualizer.measure(), [height])
  return { virtualizer, margin }
}

/** Whether the last rendered row is near the last loaded row. */
const isNearEnd = (items: readonly VirtualItem[], count: number) => (items.at(-1)?.index ?? 0) > count - 30

type CellsProps = {
  before: ComponentChildren
  columns: readonly Column[]
  texts: readonly ComponentChildren[]
  href: string | undefined
  onOpen: (() => void) | undefined
}

const SelectBox = ({ label, isOn, onToggle }: { label: string; isOn: boolean; onToggle: () => void }) => (
  <input type="checkbox" class="rowSelect" aria-label={label} checked={isOn} onChange={onToggle} />
)

/** The first cell opens the row: a link where the row has an address. */
function Opener({ children, href, onOpen }: { children: ComponentChildren } & Pick<CellsProps, 'href' | 'onOpen'>) {
  if (href)
    return (
      <a class="rowLink" href={href}>
        {children}
      </a>
    )
  if (!onOpen) return <>{children}</>
  return (
    <button type="button" class="rowLink" onClick={onOpen}>
      {children}
    </button>
  )
}

function Cells({ columns, texts, href, onOpen, before }: CellsProps) {
  return (
    <>
      {columns.map(({ name, isNumber }, n) => (
        <span key={name} role="cell" class={`cell-${name}${isNumber ? ' number' : ''}`}>
          {n === 0 ? (
            <>
              {before}
              <Opener href={href} onOpen={onOpen}>
                {texts[n]}
              </Opener>
            </>
          ) : (
            texts[n]
          )}
        </span>
      ))}
    </>
  )
}

type ListRowProps<Row> = {
  of: ListProps<Row>
  row: Row
  index: number
  place: { transform: string; blockSize: string }
  onFocus: (key: string) => void
}

function ListRow<Row>({ of, row, index, place, onFocus }: ListRowProps<Row>) {
  const { columns, keyOf, cells, hrefOf, onOpenOf, toneOf, selection } = of
  const key = keyOf(row)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class={`listRow ${toneOf?.(row) ?? ''}`}
      style={place}
      onFocusIn={() => onFocus(key)}
    >
      <Cells
        columns={columns}
        texts={cells(row)}
        href={hrefOf?.(row)}
        onOpen={onOpenOf?.(row)}
        before={
          selection && (
            <SelectBox
              label={selection.labelOf(row)}
              isOn={selection.has(key)}
              onToggle={() => selection.toggle(row)}
            />
          )
        }
      />
    </div>
  )
}

/**
 * A table of any length: a windowed list with the roles of a table. `j` and `k` move the focus between rows, Enter opens
 * the link of the row.
 */
export function List<Row>(list: ListProps<Row>) {
  const { label, variant, columns, rows, keyOf, hrefOf, onEnd, before } = list
  const body = useRef<HTMLDivElement>(null)
  const height = useIsNarrow() ? heights.narrow : heights.wide
  const { virtualizer, margin } = useWindowed(rows.length, height, body)
  const [cursor, setCursor] = useState<string | undefined>()
  const items = virtualizer.getVirtualItems()
  const isNear = isNearEnd(items, rows.length)
  useEffect(() => {
    if (isNear) onEnd?.()
  }, [isNear, rows.length])
  const focusRow = (index: number) => {
    const row = rows[index]
    if (!row) return
    virtualizer.scrollToIndex(index)
    setCursor(keyOf(row))
    requestAnimationFrame(() =>
      body.current
        ?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"] .rowLink`)
        ?.focus({ preventScroll: true }),
    )
  }
  // Computed on key press, not on each render, because it scans all rows.
  const at = () => (cursor === undefined ? -1 : rows.findIndex((row) => keyOf(row) === cursor))
  useKeys(hrefOf ? { j: () => focusRow(at() + 1), k: () => focusRow(Math.max(at() - 1, 0)) } : {})
  return (
    <div class={`list list-${variant}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div class="listHead" role="row" aria-rowindex={1}>
        {columns.map(({ name, label: text, isNumber }) => (
          <span key={name} role="columnheader" class={isNumber ? 'number' : undefined}>
            {text}
          </span>
        ))}
      </div>
      {before}
      <div class="listBody" role="rowgroup" ref={body} style={{ blockSize: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start }) => (
          <ListRow
            key={keyOf(rows[index]!)}
            of={list}
            row={rows[index]!}
            index={index}
            place={{ transform: `translateY(${start - margin}px)`, blockSize: `${height}px` }}
            onFocus={setCursor}
          />
        ))}
      </div>
    </div>
  )
}
