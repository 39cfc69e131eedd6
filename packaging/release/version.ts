/** Checks the version of a release, and writes it to package.json and package-lock.json. */
import { gt, patch, valid } from 'semver'

/** Returns the problems with the version of a release, or an empty list. */
export function checkVersion(version: string, currentVersion: string): string[] {
  if (valid(version) !== version) return [`"${version}" is not a version such as 1.2.3 or 1.2.3-rc.1.`]
  return gt(version, currentVersion) ? [] : [`${version} is not greater than the current version, ${currentVersion}.`]
}

/** A patch version promises that people can return to the previous version without a backup, so it has no migrations. */
export const isPatch = (version: string) => valid(version) !== null && patch(version) > 0

/** Changes nothing but the version, so that the file keeps its format. */
export function setPackageVersion(packageJson: string, version: string): string {
  return packageJson.replace(/^( {2}"version": )"[^"]*"/m, (_all, start: string) => `${start}"${version}"`)
}

/** Keeps the format of npm. `npm version` is not used, because it may add the address of the registry to every package. */
export function setLockVersion(packageLock: string, version: string): string {
  const lock = JSON.parse(packageLock)
  lock.version = version
  lock.packages[''].version = version
  return `${JSON.stringify(lock, null, 2)}\n`
}
