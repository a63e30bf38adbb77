/** The language of this folder, and texts that Intl does not have. */
export const languageWords = {
  tag: 'en',
  percentagePoints: 'pp',
}
