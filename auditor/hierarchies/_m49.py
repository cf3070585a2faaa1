"""The countries and areas of the world by region and sub-region, and how tables write them.

Source: United Nations Statistics Division, Standard country or area codes for statistical use (M49),
https://unstats.un.org/unsd/methodology/m49/, with the codes of ISO 3166-1. A sub-region is what M49 calls so or, where
it divides one further (Sub-Saharan Africa, Latin America and the Caribbean), the intermediate region. Kosovo and
Taiwan, which M49 does not list apart, and states of before 1993 stand with their neighbours.

A line is a country: alpha-2, alpha-3, its name and other spellings, separated by ``|``; a past state has no codes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_REGIONS = {
    "Africa": {
        "Northern Africa": """
            DZ DZA Algeria
            EG EGY Egypt|Arab Republic of Egypt
            EH ESH Western Sahara
            LY LBY Libya|Libyan Arab Jamahiriya
            MA MAR Morocco
            SD SDN Sudan
            TN TUN Tunisia
        """,
        "Eastern Africa": """
            BI BDI Burundi
            DJ DJI Djibouti
            ER ERI Eritrea
            ET ETH Ethiopia
            IO IOT British Indian Ocean Territory
            KE KEN Kenya
            KM COM Comoros
            MG MDG Madagascar
            MU MUS Mauritius
            MW MWI Malawi
            MZ MOZ Mozambique
            RE REU Réunion
            RW RWA Rwanda
            SC SYC Seychelles
            SO SOM Somalia
            SS SSD South Sudan
            TF ATF French Southern Territories
            TZ TZA United Republic of Tanzania|Tanzania|Tanzania, United Republic of
            UG UGA Uganda
            YT MYT Mayotte
            ZM ZMB Zambia
            ZW ZWE Zimbabwe|Rhodesia
        """,
        "Middle Africa": """
            AO AGO Angola
            CD COD Democratic Republic of the Congo|DR Congo|Congo, Dem. Rep.|Congo (Kinshasa)|Zaire|\
Congo, the Democratic Republic of the
            CF CAF Central African Republic
            CG COG Congo|Republic of the Congo|Congo, Rep.|Congo (Brazzaville)
            CM CMR Cameroon
            GA GAB Gabon
            GQ GNQ Equatorial Guinea
            ST STP Sao Tome and Principe
            TD TCD Chad
        """,
        "Southern Africa": """
            BW BWA Botswana
            LS LSO Lesotho
            NA NAM Namibia
            SZ SWZ Eswatini|Swaziland
            ZA ZAF South Africa
        """,
        "Western Africa": """
            BF BFA Burkina Faso
            BJ BEN Benin
            CI CIV Côte d'Ivoire|Ivory Coast|Côte d’Ivoire
            CV CPV Cabo Verde|Cape Verde
            GH GHA Ghana
            GM GMB Gambia|Gambia, The
            GN GIN Guinea
            GW GNB Guinea-Bissau
            LR LBR Liberia
            ML MLI Mali
            MR MRT Mauritania
            NE NER Niger
            NG NGA Nigeria
            SH SHN Saint Helena|Saint Helena, Ascension and Tristan da Cunha|St. Helena
            SL SLE Sierra Leone
            SN SEN Senegal
            TG TGO Togo
        """,
    },
    "Americas": {
        "Northern America": """
            BM BMU Bermuda
            CA CAN Canada
            GL GRL Greenland
            PM SPM Saint Pierre and Miquelon|St. Pierre and Miquelon
            US USA United States of America|United States|U.S.|U.S.A.|America
        """,
        "Central America": """
            BZ BLZ Belize
            CR CRI Costa Rica
            GT GTM Guatemala
            HN HND Honduras
            MX MEX Mexico
            NI NIC Nicaragua
            PA PAN Panama
            SV SLV El Salvador
        """,
        "Caribbean": """
            AG ATG Antigua and Barbuda
            AI AIA Anguilla
            AW ABW Aruba
            BB BRB Barbados
            BL BLM Saint Barthélemy|St. Barthélemy
            BQ BES Bonaire, Sint Eustatius and Saba|Caribbean Netherlands
            BS BHS Bahamas|Bahamas, The
            CU CUB Cuba
            CW CUW Curaçao
            DM DMA Dominica
            DO DOM Dominican Republic
            GD GRD Grenada
            GP GLP Guadeloupe
            HT HTI Haiti
            JM JAM Jamaica
            KN KNA Saint Kitts and Nevis|St. Kitts and Nevis
            KY CYM Cayman Islands
            LC LCA Saint Lucia|St. Lucia
            MF MAF Saint Martin (French Part)|Saint Martin
            MQ MTQ Martinique
            MS MSR Montserrat
            PR PRI Puerto Rico
            SX SXM Sint Maarten (Dutch part)|Sint Maarten
            TC TCA Turks and Caicos Islands
            TT TTO Trinidad and Tobago|Trinadad&Tobago
            VC VCT Saint Vincent and the Grenadines|St. Vincent and the Grenadines
            VG VGB British Virgin Islands|Virgin Islands, British
            VI VIR United States Virgin Islands|US Virgin Islands|Virgin Islands, U.S.
            - - Netherlands Antilles
        """,
        "South America": """
            AR ARG Argentina
            BO BOL Bolivia (Plurinational State of)|Bolivia|Bolivia, Plurinational State of
            BR BRA Brazil
            BV BVT Bouvet Island
            CL CHL Chile
            CO COL Colombia|Columbia
            EC ECU Ecuador
            FK FLK Falkland Islands (Malvinas)|Falkland Islands
            GF GUF French Guiana
            GS SGS South Georgia and the South Sandwich Islands
            GY GUY Guyana
            PE PER Peru
            PY PRY Paraguay
            SR SUR Suriname
            UY URY Uruguay
            VE VEN Venezuela (Bolivarian Republic of)|Venezuela|Venezuela, Bolivarian Republic of|Venezuela, RB
        """,
    },
    "Asia": {
        "Central Asia": """
            KG KGZ Kyrgyzstan|Kyrgyz Republic
            KZ KAZ Kazakhstan
            TJ TJK Tajikistan
            TM TKM Turkmenistan
            UZ UZB Uzbekistan
        """,
        "Eastern Asia": """
            CN CHN China|People's Republic of China|Mainland China
            HK HKG China, Hong Kong Special Administrative Region|Hong Kong|Hong Kong SAR, China|Hong
            JP JPN Japan
            KP PRK Democratic People's Republic of Korea|North Korea|Korea, Dem. People's Rep.|Korea, North|\
Korea, Democratic People's Republic of
            KR KOR Republic of Korea|South Korea|Korea|Korea, Rep.|Korea, South|Korea, Republic of
            MN MNG Mongolia
            MO MAC China, Macao Special Administrative Region|Macao|Macau|Macao SAR, China
            TW TWN Taiwan|Taiwan, Province of China|Taiwan*|Chinese Taipei
        """,
        "South-eastern Asia": """
            BN BRN Brunei Darussalam|Brunei
            ID IDN Indonesia
            KH KHM Cambodia
            LA LAO Lao People's Democratic Republic|Laos|Lao PDR
            MM MMR Myanmar|Burma
            MY MYS Malaysia
            PH PHL Philippines
            SG SGP Singapore
            TH THA Thailand
            TL TLS Timor-Leste|East Timor
            VN VNM Viet Nam|Vietnam
        """,
        "Southern Asia": """
            AF AFG Afghanistan
            BD BGD Bangladesh
            BT BTN Bhutan
            IN IND India
            IR IRN Iran (Islamic Republic of)|Iran|Iran, Islamic Republic of|Iran, Islamic Rep.
            LK LKA Sri Lanka|Ceylon
            MV MDV Maldives
            NP NPL Nepal
            PK PAK Pakistan
        """,
        "Western Asia": """
            AE ARE United Arab Emirates|UAE
            AM ARM Armenia
            AZ AZE Azerbaijan
            BH BHR Bahrain
            CY CYP Cyprus
            GE GEO Georgia
            IL ISR Israel
            IQ IRQ Iraq
            JO JOR Jordan
            KW KWT Kuwait
            LB LBN Lebanon
            OM OMN Oman
            PS PSE State of Palestine|Palestine|Palestine, State of|West Bank and Gaza|Palestinian Territories
            QA QAT Qatar
            SA SAU Saudi Arabia
            SY SYR Syrian Arab Republic|Syria
            TR TUR Türkiye|Turkey|Turkiye
            YE YEM Yemen|Yemen, Rep.
        """,
    },
    "Europe": {
        "Eastern Europe": """
            BG BGR Bulgaria
            BY BLR Belarus
            CZ CZE Czechia|Czech Republic
            HU HUN Hungary
            MD MDA Republic of Moldova|Moldova|Moldova, Republic of
            PL POL Poland
            RO ROU Romania
            RU RUS Russian Federation|Russia
            SK SVK Slovakia|Slovak Republic
            UA UKR Ukraine
            - - Czechoslovakia
            - - USSR|Soviet Union
        """,
        "Northern Europe": """
            AX ALA Åland Islands
            DK DNK Denmark
            EE EST Estonia
            FI FIN Finland
            FO FRO Faroe Islands
            GB GBR United Kingdom of Great Britain and Northern Ireland|United Kingdom|UK|U.K.|Great Britain|Britain|\
England|Scotland|Wales|Northern Ireland
            GG GGY Guernsey
            IE IRL Ireland|Republic of Ireland
            IM IMN Isle of Man
            IS ISL Iceland
            JE JEY Jersey
            LT LTU Lithuania
            LV LVA Latvia
            NO NOR Norway
            SE SWE Sweden
            SJ SJM Svalbard and Jan Mayen Islands|Svalbard and Jan Mayen
        """,
        "Southern Europe": """
            AD AND Andorra
            AL ALB Albania
            BA BIH Bosnia and Herzegovina|Bosnia
            ES ESP Spain
            GI GIB Gibraltar
            GR GRC Greece|EL
            HR HRV Croatia
            IT ITA Italy
            ME MNE Montenegro
            MK MKD North Macedonia|Macedonia|FYROM|Macedonia, the former Yugoslav Republic of
            MT MLT Malta
            PT PRT Portugal
            RS SRB Serbia
            SI SVN Slovenia
            SM SMR San Marino
            VA VAT Holy See|Vatican|Vatican City|Holy See (Vatican City State)
            XK XKX Kosovo
            - - Yugoslavia|Serbia and Montenegro
        """,
        "Western Europe": """
            AT AUT Austria
            BE BEL Belgium
            CH CHE Switzerland
            DE DEU Germany|West Germany|East Germany
            FR FRA France
            LI LIE Liechtenstein
            LU LUX Luxembourg
            MC MCO Monaco
            NL NLD Netherlands (Kingdom of the)|Netherlands|The Netherlands|Holland|Holand-Netherlands
        """,
    },
    "Oceania": {
        "Australia and New Zealand": """
            AU AUS Australia
            CC CCK Cocos (Keeling) Islands
            CX CXR Christmas Island
            HM HMD Heard Island and McDonald Islands
            NF NFK Norfolk Island
            NZ NZL New Zealand
        """,
        "Melanesia": """
            FJ FJI Fiji
            NC NCL New Caledonia
            PG PNG Papua New Guinea
            SB SLB Solomon Islands
            VU VUT Vanuatu
        """,
        "Micronesia": """
            FM FSM Micronesia (Federated States of)|Micronesia, Federated States of|Micronesia, Fed. Sts.
            GU GUM Guam|Outlying-US(Guam-USVI-etc)
            KI KIR Kiribati
            MH MHL Marshall Islands
            MP MNP Northern Mariana Islands
            NR NRU Nauru
            PW PLW Palau
            UM UMI United States Minor Outlying Islands
        """,
        "Polynesia": """
            AS ASM American Samoa
            CK COK Cook Islands
            NU NIU Niue
            PF PYF French Polynesia
            PN PCN Pitcairn
            TK TKL Tokelau
            TO TON Tonga
            TV TUV Tuvalu
            WF WLF Wallis and Futuna Islands|Wallis and Futuna
            WS WSM Samoa
        """,
    },
}


@cache
def places() -> dict[str, tuple[str, str]]:
    """Sub-region and region of each country, by each spelling as `plain` writes it."""
    return {
        plain(spelling): (sub_region, region)
        for region, sub_regions in _REGIONS.items()
        for sub_region, lines in sub_regions.items()
        for line in lines.strip().splitlines()
        for spelling in _spellings(line)
    }


def regions() -> dict[str, str]:
    """The region of each sub-region."""
    return {sub_region: region for region, sub_regions in _REGIONS.items() for sub_region in sub_regions}


def plain(text: str) -> str:
    """A name in small letters without accents, and single spaces where other signs are."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in letters if not unicodedata.combining(c))))


def _spellings(line: str) -> list[str]:
    two, three, names = line.split(maxsplit=2)
    return [code for code in (two, three) if code != "-"] + names.split("|")
