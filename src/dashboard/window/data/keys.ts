import { useEffect } from 'preact/hooks'
import { letters } from './signal.ts'

/** A key or a pair ("g e") → its action. Letters do nothing while somebody types, or if they are switched off. */
type Keys = Readonly<Record<string, () => void>>

const layers: Keys[] = []
let first: { key: string; at: number } | undefined

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** A pair must be finished within this time. */
const pairMs = 1_200

function find(name: string): (() => void) | undefined {
  for (const layer of [...layers].reverse()) if (layer[name]) return layer[name]
  return undefined
}

/** The action of a key press: of a pair, else of the key. The newest layer comes first. */
function actionOf(event: KeyboardEvent): (() => void) | undefined {
  if ((event.ctrlKey || event.metaKey) && !event.altKey) return find(`Ctrl ${event.key.toLowerCase()}`)
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey
  if (!isPlain || isTyping(event.target) || letters.value.value === 'off') return undefined
  if (document.querySelector('dialog[open]')) return undefined
  const pair = first && event.timeStamp - first.at < pairMs ? find(`${first.key} ${event.key}`) : undefined
  first = { key: event.key, at: event.timeStamp }
  return pair ?? find(event.key)
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return
  const action = actionOf(event)
  if (!action) return
  event.preventDefault()
  action()
})

/** Adds keys while the component is mounted. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    layers.push(keys)
    return () => {
      layers.splice(layers.indexOf(keys), 1)
    }
  })
}
