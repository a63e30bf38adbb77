import { readJson, writeJson } from '#browser/jsonStorage.ts'
import { type FormField, type FormKey, findFormKey } from '../../formField.ts'
import type { BrowserModule } from '../../modules.ts'

type FormValues = Partial<Record<FormKey, string>>

const storageName = 'aglet:autoFormFill'

/**
 * Reads e-mail, phone and name from forms that the visitor submits, sends them to the tag, and fills them into forms of
 * later pages. The values are stored in the site's own storage; none comes from the server.
 */
const autoFormFill: BrowserModule = {
  start({ user, storage: local }) {
    const readStored = (): FormValues => readJson(local, storageName) ?? {}

    const store = (form: HTMLFormElement) => {
      const previous = readStored()
      const current = { ...previous }
      for (const [key, field] of findFields(form)) if (field.value.trim()) current[key] = field.value.trim()
      for (const [key, value] of Object.entries(current)) if (previous[key as FormKey] !== value) user(key, value)
      writeJson(local, storageName, current)
    }

    document.addEventListener('submit', ({ target }) => target instanceof HTMLFormElement && store(target), true)
    document.addEventListener('focusin', () => fill(document, readStored()))
    fill(document, readStored())
    return undefined
  },
}

const findFields = (within: ParentNode): [FormKey, HTMLInputElement][] =>
  [...within.querySelectorAll('input')].flatMap((field): [FormKey, HTMLInputElement][] => {
    const key = findFormKey(field as FormField)
    return key ? [[key, field]] : []
  })

const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')

/** React overrides the setter of a field and ignores events for values set through it, so the native setter is used. */
const setValue = (field: HTMLInputElement, value: string) => native!.set!.call(field, value)

/** Fills empty fields, and dispatches the events of typing. */
function fill(within: ParentNode, values: FormValues): void {
  for (const [key, field] of findFields(within)) {
    const value = values[key]
    if (!value || field.value || field.dataset.aglet) continue
    field.dataset.aglet = 'filled' // only once: a field that the visitor empties stays empty
    setValue(field, value)
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  }
}

export default autoFormFill
