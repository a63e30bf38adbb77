/** True in `npm run test:all`, which tests every property with its full number of cases. */
export const isFullRun = process.env.TESTS === 'all'

/** The number of cases of a test: `full` in `npm run test:all`, a tenth of it, but at least 10, in `npm test`. */
export const cases = (full: number, few: number = Math.max(10, Math.ceil(full / 10))): number =>
  isFullRun ? full : Math.min(full, few)
