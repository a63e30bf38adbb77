/** What a person is known by. In an event each stands as `user` + the capitalised key, at the top or in `data`: `userEmail`. */
export const standardKeys = [
  'email',
  'phone',
  'firstName',
  'lastName',
  'gender',
  'dateOfBirth',
  'city',
  'state',
  'zip',
  'country',
] as const
export type StandardKey = (typeof standardKeys)[number]
