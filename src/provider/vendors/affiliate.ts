import { optional, text } from '#provider/form/variables.ts'

/** The `check` of a variable that is a number of the network. */
export const digitsCheck = (id: string): string | undefined =>
  /^\d{1,12}$/.test(id) ? undefined : 'Write the number alone: digits only.'

/** Whether leads are sent besides orders: a network pays for them only where the programme says so. */
export const leadEvent = text('Lead event', 'Write Lead to send leads as well.', {
  ...optional,
  check: (value: string) => (value === 'Lead' ? undefined : 'Write Lead, or leave it empty.'),
})
