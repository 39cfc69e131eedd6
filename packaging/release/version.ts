/** The version in package.json and package-lock.json. */
import { diff, gt, valid } from 'semver'

/** Returns what is wrong with the version of a release. */
export function checkVersion(version: string, currentVersion: string): string[] {
  if (valid(version) !== version) return [`"${version}" is not a version such as 1.2.3 or 1.2.3-rc.1.`]
  return gt(version, currentVersion) ? [] : [`${version} is not greater than the current version, ${currentVersion}.`]
}

/** Only these versions promise that people can go back to the version before without a backup. */
export const isPatch = (version: string, previousVersion: string) =>
  valid(version) !== null && diff(version, previousVersion) === 'patch'

/** Changes nothing but the version, so that the file keeps its format. */
export function setPackageVersion(packageJson: string, version: string): string {
  return packageJson.replace(/^( {2}"version": )"[^"]*"/m, (_all, start: string) => `${start}"${version}"`)
}

/** In the format of npm. npm itself would also add the address of its registry to every package, if it is configured so. */
export function setLockVersion(packageLock: string, version: string): string {
  const lock = JSON.parse(packageLock)
  lock.version = version
  lock.packages[''].version = version
  return `${JSON.stringify(lock, null, 2)}\n`
}
