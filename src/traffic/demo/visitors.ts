/** Generated visitors: where they live, what they speak, and plausible combinations of device, system and browser. */
import type { VisitorDetails } from '../model/event.ts'
import type { Random } from './random.ts'
import { takeOrCreate } from './site.ts'
import { createWeightedPicker } from './weighted.ts'

interface CountryProfile {
  country: string
  weight: number
  languages: readonly string[]
  /** Each is `region:city`. If a country has no towns here, its visitors have no region and no city. */
  towns: readonly string[]
}

/** Each line has a country, its weight, its languages and its towns. A language that is repeated is more frequent. */
const countryProfiles: readonly CountryProfile[] = `
  US 26 en,en,en,en,es US-CA:Los_Angeles US-NY:New_York US-TX:Austin US-WA:Seattle
  DE 14 de,de,de,en DE-BE:Berlin DE-BY:Munich DE-HH:Hamburg DE-NW:Cologne
  GB 8 en GB-ENG:London GB-ENG:Manchester GB-SCT:Edinburgh
  FR 6 fr,fr,en FR-IDF:Paris FR-ARA:Lyon
  IN 6 en,en,hi IN-KA:Bengaluru IN-MH:Mumbai
  CA 4 en,en,fr CA-ON:Toronto CA-QC:Montreal
  NL 4 nl,nl,en NL-NH:Amsterdam NL-UT:Utrecht
  ES 3 es ES-MD:Madrid ES-CT:Barcelona
  IT 3 it IT-62:Rome IT-25:Milan
  BR 3 pt BR-SP:Sao_Paulo
  AU 3 en AU-NSW:Sydney AU-VIC:Melbourne
  PL 2 pl PL-14:Warsaw
  CH 2 de,de,fr CH-ZH:Zurich CH-GE:Geneva
  AT 2 de AT-9:Vienna
  SE 2 sv,en SE-AB:Stockholm
  JP 2 ja JP-13:Tokyo
  MX 1.5 es
  BE 1.2 nl,fr
  DK 1.1 da
  NO 1 nb
  FI 1 fi
  PT 0.8 pt
  IE 0.8 en
  CZ 0.7 cs
  SG 0.7 en,zh
  ZA 0.6 en
  KR 0.6 ko
  NZ 0.5 en
  TR 0.5 tr
  AR 0.5 es`
  .trim()
  .split('\n')
  .map((line) => {
    const [country = '', weight = '', languages = '', ...towns] = line.trim().split(' ')
    return { country, weight: Number(weight), languages: languages.split(','), towns }
  })

const otherCountries =
  `RO UA GR HU IL CL CO TH VN ID MY PH HK TW BG HR SK SI LT LV EE LU IS CY MT RS BA MK AL MD GE AM AZ KZ UZ PK BD
  LK NP AE SA QA KW BH OM JO LB EG MA DZ TN KE NG GH TZ UG ET SN CI CM ZW ZM MZ AO RW PE EC UY PY BO VE CR PA GT HN SV NI DO CU
  JM TT`.split(/\s+/)

interface DeviceProfile {
  device: string
  os: string
  browser: string
  weight: number
  screens: readonly string[]
}

const desktopScreens = '1920x1080 1920x1080 1920x1080 2560x1440 1366x768 1536x864 3840x2160'
const macScreens = '1440x900 1512x982 1728x1117 2560x1440 1920x1080'
const iphoneScreens = '390x844 393x852 430x932 375x667'
const androidScreens = '360x800 412x915 384x854 393x873'

const deviceProfiles: readonly DeviceProfile[] = `
  desktop Windows Chrome 23 ${desktopScreens}
  desktop Windows Edge 7 ${desktopScreens}
  desktop Windows Firefox 4 ${desktopScreens}
  desktop Windows Opera 1 ${desktopScreens}
  desktop macOS Safari 7 ${macScreens}
  desktop macOS Chrome 8 ${macScreens}
  desktop macOS Firefox 1.5 ${macScreens}
  desktop GNU/Linux Firefox 2.5 ${desktopScreens}
  desktop GNU/Linux Chrome 2 ${desktopScreens}
  desktop ChromeOS Chrome 1 1366x768 1920x1080
  mobile iOS Safari 19 ${iphoneScreens}
  mobile iOS Chrome 2 ${iphoneScreens}
  mobile Android Chrome 16 ${androidScreens}
  mobile Android Samsung_Internet 3 ${androidScreens}
  mobile Android Firefox 1 ${androidScreens}
  tablet iOS Safari 2 820x1180 834x1194 768x1024
  tablet Android Chrome 1 800x1280`
  .trim()
  .split('\n')
  .map((line) => {
    const [device = '', os = '', browser = '', weight = '', ...screens] = line.trim().split(' ')
    return { device, os: withSpaces(os), browser: withSpaces(browser), weight: Number(weight), screens }
  })

/** Names in the tables above have an underscore for each space. */
function withSpaces(word: string): string {
  return word.replaceAll('_', ' ')
}

function pickOne<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T
}

/**
 * Returns a function that picks a random visitor from one of `countryCount` countries. As in real traffic, some visitors
 * have no town or no screen size.
 */
export function createVisitorPicker(countryCount: number): (random: Random) => VisitorDetails {
  const createCountryProfile = (n: number): CountryProfile => ({
    country: otherCountries[(n - 1) % otherCountries.length] as string,
    weight: 3 / (n + 6),
    languages: ['en'],
    towns: [],
  })
  const pickCountry = createWeightedPicker(
    takeOrCreate(countryProfiles, countryCount, createCountryProfile),
    ({ weight }) => weight,
  )
  const pickDevice = createWeightedPicker(deviceProfiles, ({ weight }) => weight)
  return (random) => {
    const { country, languages, towns } = pickCountry(random)
    const { device, os, browser, screens } = pickDevice(random)
    const visitor: VisitorDetails = { country, language: pickOne(languages, random), browser, os, device }
    if (towns.length > 0 && random() < 0.8) {
      const [region = '', city = ''] = pickOne(towns, random).split(':')
      visitor.region = region
      visitor.city = `${withSpaces(city)}, ${country}`
    }
    if (random() < 0.95) visitor.resolution = pickOne(screens, random)
    return visitor
  }
}
