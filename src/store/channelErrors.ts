/** Whether deliveries with this status and reason have failed at least once. */
export const isErrorState = (status: string, reason: string | null): boolean =>
  (status === 'pending' && reason !== null) || status === 'refused' || (status === 'dead' && reason !== 'erased')

/** The smallest of the known values. */
export const smallestOf = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((each) => each !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}
