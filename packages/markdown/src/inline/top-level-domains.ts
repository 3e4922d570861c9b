// Country codes, then generic domains: those that people write without `https://`. Endings that are more often
// file names (java, md, mov, py, zip) are left out on purpose.
const list = `
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd
cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge
gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki
km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz
na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw qa re ro rs ru rw sa sb sc sd se sg sh
si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc
ve vg vi vn vu wf ws ye yt za zm zw
com net org edu gov mil int arpa aero asia biz cat coop info jobs mobi museum name post pro tel travel xxx
academy accountant accountants actor ads adult agency airforce amsterdam apartments app apple archi army art arte
associates attorney auction audi audio author auto autos aws baby band bank bar barcelona bargains baseball basketball
bayern bbc beauty beer berlin best bet bible bid bike bing bingo bio black blackfriday blog bloomberg blue bmw boats
bond boo book bosch bot boutique box bradesco broker brother brussels build builders business buy buzz bzh cab cafe
cal call cam camera camp canon capetown capital car cards care career careers cars casa case cash casino catering
catholic center ceo cern cfd channel chat cheap chrome church circle cisco city claims cleaning click clinic clothing
cloud club coach codes coffee college cologne community company compare computer condos construction consulting
contact contractors cooking cool corsica country coupon coupons courses credit creditcard cricket crs cruises cymru
cyou dad dance data date dating day deal dealer deals degree delivery dell deloitte democrat dental dentist desi
design dev dhl diamonds diet digital direct directory discount discover diy docs doctor dog domains dot download drive
dubai durban earth eat eco education email energy engineer engineering enterprises epson equipment ericsson esq estate
eus events exchange expert exposed express fail faith family fan fans farm fashion fast fedex feedback ferrari film
final finance financial fire fish fishing fit fitness flickr flights florist flowers fly fm foo food football ford
forex forsale forum foundation fox free fun fund furniture futbol fyi gal gallery game games gap garden gay gdn gent
genting ggee gift gifts gives giving glass global gmail gmbh gold golf goog google gop gov graphics gratis green gripe
grocery group guide guitars guru hair hamburg haus health healthcare help helsinki here hermes hiphop hisamitsu
hitachi hiv hockey holdings holiday homes honda horse hospital host hosting hot hotels house how hsbc hyundai ibm icu
ieee immo immobilien inc industries ing ink institute insurance insure international investments ira irish ist
istanbul itv jaguar jetzt jewelry jll joburg jot joy juegos kaufen kddi kids kim kitchen kiwi koeln krd kred kyoto land
lat latino law lawyer lds lease legal lego lgbt life lighting like limited limo link live living llc loan loans locker
lol london lotto love ltd ltda luxe luxury madrid maif maison makeup man management mango map market marketing markets
mba med media meet melbourne meme memorial men menu miami microsoft mini mit mitsubishi mlb mls mma mobile moda moe moi
mom monash money monster mormon mortgage moscow moto motorcycles movie music nab nagoya navy nba nec netflix network
neustar new news nexus nfl ngo nhk nico nike nikon ninja nissan nokia now nowruz nra nrw ntt nyc observer office
okinawa one ong onl online ooo open oracle orange organic origins osaka otsuka ovh page panasonic paris partners parts
party pay pet pets pharmacy phd philips phone photo photography photos physio pics pictet pictures pid pin ping pink
pioneer pizza place play playstation plumbing plus poker politie porn press prime productions prof promo properties
property protection pub pwc quebec quest racing radio read realestate realtor realty recipes red redumbrella rehab
reise reisen reit ren rent rentals repair report republican rest restaurant review reviews rich ricoh rio rip rocks
rodeo room rsvp rugby ruhr run rwe ryukyu saarland safe safety sale salon samsung sandvik sap sarl save saxo sbi sbs
school schule schwarz science scot search seat secure security seek select services sew sex sexy sharp shell shiksha
shoes shop shopping show silk singles site ski skin sky skype smart sncf soccer social software sohu solar solutions
song sony soy spa space sport spot srl statebank stockholm storage store stream studio study style sucks supplies
supply support surf surgery suzuki swatch swiss sydney systems taipei talk target tatar tattoo tax taxi tci team tech
technology temasek tennis theater access tickets tienda tips tires tirol today tokyo tools top toray toshiba total
tours town toyota toys trade trading training trust tube tui tunes ubs university uno ups vacations vanguard vegas
ventures vet viajes video villas vin vip virgin visa vision vivo vlaanderen vodka volvo vote voting voto voyage wales
walter wang watch watches weather web webcam weber website wed wedding weibo weir whoswho wien wiki win windows wine
wme work works world wtf xbox xerox xin xyz yachts yahoo yandex yoga yokohama you youtube zara zero zone zuerich
бел бг рф укр сайт онлайн орг мкд мон срб қаз հայ ελ ευ გე ישראל بازار شبكة موقع امارات مصر ایران السعودية भारत 中国 中國
台湾 台灣 香港 澳門 新加坡 公司 网络 网址 在线 中文网 商城 游戏 コム みんな 닷컴 닷넷 한국
`

let known: Set<string> | undefined

/** Whether names with this ending are treated as URLs. */
export function isTopLevelDomain(label: string): boolean {
  known ??= new Set(list.trim().split(/\s+/))
  // Capitals are excluded: "done.So" is two sentences, not a URL.
  return known.has(label)
}
