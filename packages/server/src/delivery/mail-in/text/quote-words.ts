import { textLanguage, textLanguages } from '../../../platform/translations.ts'

/** The first line of our emails that can be answered. What email programs quote begins here, whatever they put above. */
export const replyMarker = '— Write above this line to reply —'
/** The same in the languages of our emails. */
export const replyMarkers = [...new Set(textLanguages.map((code) => textLanguage([code]).translate(replyMarker)))]

/** What begins the line above a quote, in lower case: "On 3 November Ann wrote:". */
export const attributionStarts = [
  'on ', // English
  'am ', // German
  'le ', // French
  'el ', // Spanish
  'em ', // Portuguese
  'no dia ',
  'a ',
  'il ', // Italian
  'op ', // Dutch
  'w dniu ', // Polish
  'dnia ',
  'wiadomość napisana przez ',
  'den ', // Swedish, Norwegian, Danish
  'в ', // Russian
  'في ', // Arabic
  'بتاريخ ',
  'كتب ',
  '在 ', // Chinese
]

/** What the line contains, in lower case. */
export const attributionVerbs = [
  'wrote',
  'schrieb',
  'a écrit',
  'escribió',
  'escreveu',
  'ha scritto',
  'schreef',
  'napisał',
  'pisze',
  'napisana przez',
  'написал',
  'пишет',
  'skrev',
  '写道',
  '寫道',
  'のメール',
  'さんは書きました',
  'が書きました',
  'كتب',
  'كتابة',
  'yazdı',
]

/** Between dashes, above a quoted email, in lower case. */
export const originalMessage = [
  'original message',
  'original appointment',
  'ursprüngliche nachricht',
  'originalnachricht',
  'original-nachricht',
  "message d'origine",
  'message d’origine',
  'message original',
  'mensaje original',
  'mensagem original',
  'messaggio originale',
  'oorspronkelijk bericht',
  'oorspronkelijke bericht',
  'wiadomość oryginalna',
  'oryginalna wiadomość',
  'исходное сообщение',
  'ursprungligt meddelande',
  'opprinnelig melding',
  'oprindelig meddelelse',
  '元のメッセージ',
  '原始邮件',
  '原始郵件',
  '邮件原件',
  'الرسالة الأصلية',
  'orijinal ileti',
]

/** The names of the fields above a quoted email, in lower case. */
export const headerLabels = {
  from: [
    'from',
    'von',
    'de',
    'expéditeur',
    'da',
    'van',
    'od',
    'от',
    'från',
    'fra',
    '差出人',
    '送信者',
    '发件人',
    '寄件者',
    '寄件人',
    'من',
    'kimden',
  ],
  sent: [
    'sent',
    'date',
    'gesendet',
    'datum',
    'envoyé',
    'enviado el',
    'enviado',
    'fecha',
    'enviada em',
    'enviado em',
    'data',
    'inviato',
    'verzonden',
    'wysłano',
    'отправлено',
    'дата',
    'skickat',
    'sendt',
    'dato',
    '送信日時',
    '日付',
    '发送时间',
    '日期',
    '傳送時間',
    'تاريخ الإرسال',
    'التاريخ',
    'تم الإرسال',
    'gönderildi',
    'tarih',
  ],
  to: ['to', 'an', 'à', 'a', 'para', 'aan', 'do', 'кому', 'till', 'til', '宛先', '收件人', '收件者', 'إلى', 'kime'],
  subject: [
    'subject',
    'betreff',
    'objet',
    'asunto',
    'assunto',
    'oggetto',
    'onderwerp',
    'temat',
    'тема',
    'ämne',
    'emne',
    '件名',
    '主题',
    '主旨',
    'الموضوع',
    'konu',
  ],
} as const

/** What telephones and programs put at the end, in lower case: the beginning of the line. */
export const programSignatures = [
  'sent from my ',
  'sent from outlook',
  'sent from mail for windows',
  'sent from proton mail',
  'sent with proton mail',
  'sent from yahoo mail',
  'sent from gmail mobile',
  'get outlook for ',
  'get bluemail for ',
  'von meinem ',
  'von meiner ',
  'gesendet von meinem ',
  'gesendet von mail für windows',
  'gesendet mit der ',
  'diese nachricht wurde von meinem android',
  'envoyé de mon ',
  'envoyé depuis ',
  'envoyé à partir de ',
  'télécharger outlook pour ',
  'obtenez outlook pour ',
  'enviado desde mi ',
  'enviado desde ',
  'obtener outlook para ',
  'enviado do meu ',
  'enviado a partir do ',
  'enviado do ',
  'obter o outlook para ',
  'inviato da ',
  'scarica outlook per ',
  'ottieni outlook per ',
  'verzonden vanaf mijn ',
  'verstuurd vanaf mijn ',
  'outlook voor ',
  'wysłane z ',
  'pobierz aplikację outlook dla ',
  'отправлено с ',
  'отправлено из ',
  'скачать outlook для ',
  'skickat från min ',
  'iphoneから送信',
  'ipadから送信',
  '发自我的',
  '從我的',
  '获取 outlook for ',
  'أُرسلت من ',
  'أرسلت من ',
  'مرسل من ',
  'تم الإرسال من ',
]
