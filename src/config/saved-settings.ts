/**
 * Settings that an admin saved on a page. They can change while the server runs, so `url`, `mail` and `singleSignOn` of the
 * Config have to be read at the moment of use.
 */
import type { Config } from './config.ts'
import type { SingleSignOnConfig } from './single-sign-on.ts'

export interface SavedSettings {
  readonly url?: string
  /** The origin of the page on which the admin saved `url`. */
  readonly signInOrigin?: string
  readonly mail?: NonNullable<Config['mail']>
  readonly singleSignOn?: SingleSignOnConfig
}

/** The settings of the environment and of the configuration file apply. Where they set nothing, the saved settings do. */
export function withSavedSettings(config: Config, getSaved: () => SavedSettings): Config {
  return Object.freeze({
    ...config,
    get url() {
      return config.url ?? getSaved().url
    },
    get signInOrigin() {
      return config.url === undefined ? getSaved().signInOrigin : undefined
    },
    get mail() {
      return config.mail ?? getSaved().mail
    },
    get singleSignOn() {
      const saved = getSaved().singleSignOn
      return config.singleSignOn ?? (saved && { ...saved, isOnly: config.isSingleSignOnOnly ?? saved.isOnly })
    },
  })
}
