/** What a form's field says of itself. */
export type FormField = { type: string; autocomplete: string; name: string; id: string }

/** The user keys that are learnt from forms. */
export type LearntKey = 'email' | 'phone' | 'firstName' | 'lastName'

const byAutocomplete: Readonly<Record<string, LearntKey>> = {
  email: 'email',
  tel: 'phone',
  'given-name': 'firstName',
  'family-name': 'lastName',
}

const byName: readonly [RegExp, LearntKey][] = [
  [/^e-?mail(address)?$/, 'email'],
  [/^(tele?|mobile)?phone(number)?$|^(tel|mobile)$/, 'phone'],
  [/^(first|given)name$/, 'firstName'],
  [/^(last|family|sur)name$/, 'lastName'],
]

/**
 * Which key of the visitor a field holds, if any: by what it says for the browser's own autofill (the last word of
 * `section-a shipping email`), by its type, else by its name or id. A field that says something else, a password or a
 * card among them, holds none.
 */
export function keyOf({ type, autocomplete, name, id }: FormField): LearntKey | undefined {
  if (!['text', 'email', 'tel', ''].includes(type)) return undefined
  const said = autocomplete.trim().split(/\s+/).at(-1)
  if (said && said !== 'on' && said !== 'off') return byAutocomplete[said]
  if (type === 'email') return 'email'
  if (type === 'tel') return 'phone'
  const plain = (text: string) => text.toLowerCase().replace(/^.*[[.]|[^a-z]/g, '')
  return byName.find(([pattern]) => pattern.test(plain(name)) || pattern.test(plain(id)))?.[1]
}
