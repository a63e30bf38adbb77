import { readJson, writeJson } from '#browser/jsonStorage.ts'
import { type FormField, findLearntKey, type LearntKey } from '../../formField.ts'
import type { BrowserModule } from '../../modules.ts'

type LearntValues = Partial<Record<LearntKey, string>>

const storageName = 'aglet:autoFormFill'

/**
 * Reads e-mail, phone and name from forms that the visitor submits, sends them to the tag, and fills them into forms of
 * later pages. The values are stored in the site's own storage; none comes from the server.
 */
const autoFormFill: BrowserModule = {
  start({ user, storage: local }) {
    const learnt = (): LearntValues => readJson(local, storageName) ?? {}

    const learn = (form: HTMLFormElement) => {
      const previous = learnt()
      const current = { ...previous }
      for (const [key, field] of findFields(form)) if (field.value.trim()) current[key] = field.value.trim()
      for (const [key, value] of Object.entries(current)) if (previous[key as LearntKey] !== value) user(key, value)
      writeJson(local, storageName, current)
    }

    document.addEventListener('submit', ({ target }) => target instanceof HTMLFormElement && learn(target), true)
    document.addEventListener('focusin', () => fill(document, learnt()))
    fill(document, learnt())
    return undefined
  },
}

const findFields = (within: ParentNode): [LearntKey, HTMLInputElement][] =>
  [...within.querySelectorAll('input')].flatMap((field): [LearntKey, HTMLInputElement][] => {
    const key = findLearntKey(field as FormField)
    return key ? [[key, field]] : []
  })

const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')

/** React overrides the setter of a field and ignores events for values set through it, so the native setter is used. */
const setValue = (field: HTMLInputElement, value: string) => native!.set!.call(field, value)

/** Fills empty fields, and dispatches the events of typing. */
function fill(within: ParentNode, learnt: LearntValues): void {
  for (const [key, field] of findFields(within)) {
    const value = learnt[key]
    if (!value || field.value || field.dataset.aglet) continue
    field.dataset.aglet = 'filled' // only once: a field that the visitor empties stays empty
    setValue(field, value)
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  }
}

export default autoFormFill
