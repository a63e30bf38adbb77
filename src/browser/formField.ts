/** The attributes of a form field. */
export type FormField = { type: string; autocomplete: string; name: string; id: string }

/** The user keys that are read from forms. */
export type FormKey = 'email' | 'phone' | 'firstName' | 'lastName'

const byAutocomplete: Readonly<Record<string, FormKey>> = {
  email: 'email',
  tel: 'phone',
  'given-name': 'firstName',
  'family-name': 'lastName',
}

const byName: readonly [RegExp, FormKey][] = [
  [/^e-?mail(address)?$/, 'email'],
  [/^(tele?|mobile)?phone(number)?$|^(tel|mobile)$/, 'phone'],
  [/^(first|given)name$/, 'firstName'],
  [/^(last|family|sur)name$/, 'lastName'],
]

/**
 * The user key of a field: by the last token of its autocomplete attribute (`section-a shipping email`), else by its
 * type, else by its name or id. Undefined for any other field, such as a password or a card number.
 */
export function findFormKey({ type, autocomplete, name, id }: FormField): FormKey | undefined {
  if (!['text', 'email', 'tel', ''].includes(type)) return undefined
  const token = autocomplete.trim().split(/\s+/).at(-1)
  if (token && token !== 'on' && token !== 'off') return byAutocomplete[token]
  if (type === 'email') return 'email'
  if (type === 'tel') return 'phone'
  const plain = (text: string) => text.toLowerCase().replace(/^.*[[.]|[^a-z]/g, '')
  return byName.find(([pattern]) => pattern.test(plain(name)) || pattern.test(plain(id)))?.[1]
}
