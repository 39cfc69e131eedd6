import { describe, expect, it } from 'vitest'
import { parseSettingsFile } from '../config/settings-file.ts'
import { withSettings } from './config-file.ts'
import { parseStatusText } from './status.ts'

const parse = (text: string) => parseSettingsFile(text).entries.map(({ name, text: value }) => [name, value])

describe('a new configuration file', () => {
  it('replaces the lines of the given settings, also if they are commented out', () => {
    expect(withSettings('# Port\nPORT=3000\n#BELFRY_DATA=/a\nHOST=::\n', { PORT: '80', BELFRY_DATA: '/b' })).toBe(
      '# Port\nPORT=80\nBELFRY_DATA=/b\nHOST=::\n',
    )
    expect(withSettings('HOST=::\n', { PORT: '80', BELFRY_DATA: undefined })).toBe('HOST=::\nPORT=80\n')
  })

  it('keeps every character of a path', () => {
    const path = '/srv/a b "c" \\ $d #e'
    expect(parse(withSettings('', { BELFRY_DATA: path }))).toEqual([['BELFRY_DATA', path]])
  })
})

describe('the status text of the server', () => {
  it('contains version and address', () => {
    expect(parseStatusText('Belfry 1.2.3 is running at http://[::1]:3000')).toEqual({
      version: '1.2.3',
      address: 'http://[::1]:3000',
    })
    expect(parseStatusText('Starting')).toBeUndefined()
  })
})
