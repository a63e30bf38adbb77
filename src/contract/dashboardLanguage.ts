/** The languages of the dashboard, each by its tag (BCP 47) and its own name; the first is the one without a choice. */
export const dashboardLanguages = { en: 'English', de: 'Deutsch' } as const
export type DashboardLanguage = keyof typeof dashboardLanguages

/** The cookie with the language that a person chose. Without it the languages of the browser decide. */
export const languageCookie = 'aglet_language'
