import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { escapeHtml } from '#kit/escapeHtml.ts'

/** The content of a mail: paragraphs, at most one link, and notes below it. */
type MailContent = {
  language: DashboardLanguage
  subject: string
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  /** Notes below the link: when it expires, and what to do if the mail is unexpected. */
  notes?: readonly string[]
}

/** One line of a header or a text: line ends and other control characters become spaces. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trim()

const linkStyle =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#0b6e4f;color:#ffffff;font-weight:600;text-decoration:none'
const bodyStyle =
  'margin:0;padding:24px;background:#ffffff;color:#15191d;font:15px/24px system-ui,-apple-system,Segoe UI,Roboto,sans-serif'

const paragraphHtml = (text: string, style = 'margin:0 0 16px') =>
  `<p style="${style}">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`

/** The HTML loads nothing, so that opening the mail cannot be tracked. The URL of the link is also shown as text. */
function htmlOf({ language, subject, paragraphs, link, notes = [] }: MailContent): string {
  const url = link && escapeHtml(link.url)
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="${bodyStyle}">
${paragraphs.map((each) => paragraphHtml(each)).join('\n')}
${link ? `<p style="margin:0 0 16px"><a href="${url}" style="${linkStyle}" rel="noreferrer">${escapeHtml(link.label)}</a></p>\n<p style="margin:0 0 16px;overflow-wrap:anywhere">${url}</p>\n` : ''}${notes.map((each) => paragraphHtml(each, 'margin:0 0 8px;color:#59626c')).join('\n')}
</body>
</html>
`
}

const textOf = ({ paragraphs, link, notes = [] }: MailContent) =>
  `${[...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), ...notes].join('\n\n')}\n`

/** A mail in text and HTML. */
export function composeMail(content: MailContent): { subject: string; text: string; html: string } {
  const subject = oneLine(content.subject)
  return { subject, text: textOf(content), html: htmlOf({ ...content, subject }) }
}
