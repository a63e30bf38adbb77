/** The languages of the dashboard by tag (BCP 47), each with its own name. The first is the default. */
export const dashboardLanguages = { en: 'English', de: 'Deutsch' } as const
export type DashboardLanguage = keyof typeof dashboardLanguages

/** The cookie with the language that a person chose. Without it, the browser's languages decide. */
export const languageCookie = 'aglet_language'
