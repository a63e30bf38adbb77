type Model = Record<string, unknown>

const emptyModel = (): Model => Object.create(null)
const isObject = (value: unknown): value is Model => typeof value === 'object' && value !== null

/**
 * Merges like Google Tag Manager: objects deeply, arrays by index, anything else is replaced. An object with `_clear`
 * replaces the previous members.
 */
function merge(from: Model, to: Model): void {
  for (const key of Object.keys(from)) {
    const value = from[key]
    if (key === '__proto__') continue // reading it would reach the prototype of every object
    if (isObject(value) && !from._clear) {
      const old = to[key]
      if (!isObject(old) || Array.isArray(old) !== Array.isArray(value))
        to[key] = Array.isArray(value) ? [] : emptyModel()
      merge(value, to[key] as Model)
    } else to[key] = value
  }
  delete to._clear
}

/** The state of a data layer: what Google Tag Manager would read from it. */
export function openDataLayerModel() {
  const model = emptyModel()
  /** A dot in a key separates nested members. */
  const set = (key: string, value: unknown) => {
    const path = key.split('.')
    const last = path.pop()!
    const from = emptyModel()
    let within = from
    for (const part of path) {
      within[part] = emptyModel()
      within = within[part] as Model
    }
    within[last] = value
    merge(from, model)
  }
  return {
    model,
    set,
    /** Merges the members of a push into the model. If the push has `_clear`, each member replaces the previous value. */
    add(push: Model) {
      for (const key of Object.keys(push)) {
        if (push._clear) set(key, null)
        set(key, push[key])
      }
    },
  }
}
