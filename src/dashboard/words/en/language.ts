/** The language of this folder, and what Intl has no text for. */
export const languageWords = {
  tag: 'en',
  percentagePoints: 'pp',
}
