import { type FormField, keyOf, type LearntKey } from '../../formField.ts'
import { recall, remember } from '../../kept.ts'
import type { Module } from '../../modules.ts'

type Learnt = Partial<Record<LearntKey, string>>

const name = 'aglet:autoFormFill'

/**
 * Learns e-mail, phone and name from the forms that the visitor submits, tells the tag, and fills them in on the next
 * page. They are kept in the site's own storage: nothing comes from the server.
 */
const autoFormFill: Module = {
  start({ user, kept }) {
    const learnt = (): Learnt => recall(kept, name) ?? {}

    const learn = (form: HTMLFormElement) => {
      const before = learnt()
      const now = { ...before }
      for (const [key, field] of fieldsIn(form)) if (field.value.trim()) now[key] = field.value.trim()
      for (const [key, value] of Object.entries(now)) if (before[key as LearntKey] !== value) user(key, value)
      remember(kept, name, now)
    }

    document.addEventListener('submit', ({ target }) => target instanceof HTMLFormElement && learn(target), true)
    document.addEventListener('focusin', () => fill(document, learnt()))
    fill(document, learnt())
    return undefined
  },
}

const fieldsIn = (within: ParentNode): [LearntKey, HTMLInputElement][] =>
  [...within.querySelectorAll('input')].flatMap((field): [LearntKey, HTMLInputElement][] => {
    const key = keyOf(field as FormField)
    return key ? [[key, field]] : []
  })

const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')

/** React puts a setter of its own on a field, and takes no notice of an event whose value came through it. */
const write = (field: HTMLInputElement, value: string) => native!.set!.call(field, value)

/** Fills what is empty, and tells the page as if the visitor had typed it. */
function fill(within: ParentNode, learnt: Learnt): void {
  for (const [key, field] of fieldsIn(within)) {
    const value = learnt[key]
    if (!value || field.value || field.dataset.aglet) continue
    field.dataset.aglet = 'filled' // once: what the visitor empties stays empty
    write(field, value)
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  }
}

export default autoFormFill
