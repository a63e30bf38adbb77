const maxLength = 200

/**
 * Why the server did not accept a mail. `isFinal`: it would refuse the mail again. The message contains no personal
 * address.
 */
export class MailError extends Error {
  override name = 'MailError'
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

/** Removes addresses, because servers repeat the address that they refuse. */
const withoutAddresses = (text: string) =>
  text
    .slice(0, maxLength)
    .replace(/[\p{Cc}]/gu, ' ')
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')

/** The server's reply code decides: 5xx is final; 4xx, or an error before a reply, is not. */
export function toMailError(error: Error & { responseCode?: number | undefined; response?: string | undefined }) {
  const { responseCode, response, message } = error
  const text = response ? `The server answered: ${response}` : message
  return new MailError(withoutAddresses(text), responseCode !== undefined && responseCode >= 500)
}
