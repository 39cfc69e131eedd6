/**
 * Omits languages that `Intl` rejects with an exception. Chromium reports such a language, `en-US@posix`, if the
 * machine has the locale `POSIX`.
 */
export function selectValidLanguages(languages: readonly string[]): string[] {
  return languages.filter((language) => {
    try {
      return Intl.getCanonicalLocales(language).length > 0
    } catch {
      return false
    }
  })
}

/** The user's languages. If the list is empty, `Intl` uses the default of the browser. */
export const userLanguages = selectValidLanguages(navigator.languages)
