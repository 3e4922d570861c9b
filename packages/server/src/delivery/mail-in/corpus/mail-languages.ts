/** How programs in a language write about an email that they quote. WHO stands for the name and address of its sender. */
export interface Language {
  /** What the author of the reply writes. */
  own: string
  gmail: string
  apple: string
  thunderbird: string
  /** The names of the fields From, Sent, To and Subject, as Outlook writes them. */
  labels: [from: string, sent: string, to: string, subject: string]
  /** What telephones add. */
  phone: string
  outlookMobile: string
  /** Between dashes, above a quoted email. */
  original: string
}

export const languages: Record<string, Language> = {
  English: {
    own: 'Yes, I can do that on Thursday.\n\nOn Friday I am away: please ask Ben.',
    gmail: 'On Tue, Nov 3, 2026 at 10:00 AM WHO wrote:',
    apple: 'On 3 Nov 2026, at 10:00, WHO wrote:',
    thunderbird: 'On 03/11/2026 10:00, WHO wrote:',
    labels: ['From', 'Sent', 'To', 'Subject'],
    phone: 'Sent from my iPhone',
    outlookMobile: 'Get Outlook for iOS<https://aka.ms/o0ukef>',
    original: 'Original Message',
  },
  German: {
    own: 'Ja, am Donnerstag passt es mir.\n\nAm Freitag bin ich weg: frag bitte Jörg.',
    gmail: 'Am Di., 3. Nov. 2026 um 10:00 Uhr schrieb WHO:',
    apple: 'Am 03.11.2026 um 10:00 schrieb WHO:',
    thunderbird: 'Am 03.11.26 um 10:00 schrieb WHO:',
    labels: ['Von', 'Gesendet', 'An', 'Betreff'],
    phone: 'Von meinem iPhone gesendet',
    outlookMobile: 'Outlook für iOS<https://aka.ms/o0ukef> beziehen',
    original: 'Ursprüngliche Nachricht',
  },
  French: {
    own: 'Oui, jeudi me convient.\n\nLe vendredi je suis absent : demandez à Zoé.',
    gmail: 'Le mar. 3 nov. 2026 à 10:00, WHO a écrit :',
    apple: 'Le 3 nov. 2026 à 10:00, WHO a écrit :',
    thunderbird: 'Le 03/11/2026 à 10:00, WHO a écrit :',
    labels: ['De', 'Envoyé', 'À', 'Objet'],
    phone: 'Envoyé de mon iPhone',
    outlookMobile: 'Télécharger Outlook pour iOS<https://aka.ms/o0ukef>',
    original: "Message d'origine",
  },
  Spanish: {
    own: 'Sí, el jueves me viene bien.\n\nEl viernes no estoy: ¿puedes preguntar a Íñigo?',
    gmail: 'El mar, 3 nov 2026 a las 10:00, WHO escribió:',
    apple: 'El 3 nov 2026, a las 10:00, WHO escribió:',
    thunderbird: 'El 3/11/26 a las 10:00, WHO escribió:',
    labels: ['De', 'Enviado', 'Para', 'Asunto'],
    phone: 'Enviado desde mi iPhone',
    outlookMobile: 'Obtener Outlook para iOS<https://aka.ms/o0ukef>',
    original: 'Mensaje original',
  },
  Portuguese: {
    own: 'Sim, na quinta-feira está bom.\n\nEm outro dia não posso: pergunte ao João.',
    gmail: 'Em ter., 3 de nov. de 2026 às 10:00, WHO escreveu:',
    apple: 'Em 3 de nov. de 2026, à(s) 10:00, WHO escreveu:',
    thunderbird: 'Em 03/11/2026 10:00, WHO escreveu:',
    labels: ['De', 'Enviado', 'Para', 'Assunto'],
    phone: 'Enviado do meu iPhone',
    outlookMobile: 'Obter o Outlook para iOS<https://aka.ms/o0ukef>',
    original: 'Mensagem original',
  },
  Italian: {
    own: 'Sì, giovedì va bene.\n\nIl venerdì non ci sono: perché non chiedi a Niccolò?',
    gmail: 'Il giorno mar 3 nov 2026 alle ore 10:00 WHO ha scritto:',
    apple: 'Il giorno 3 nov 2026, alle ore 10:00, WHO ha scritto:',
    thunderbird: 'Il 03/11/2026 10:00, WHO ha scritto:',
    labels: ['Da', 'Inviato', 'A', 'Oggetto'],
    phone: 'Inviato da iPhone',
    outlookMobile: 'Scarica Outlook per iOS<https://aka.ms/o0ukef>',
    original: 'Messaggio originale',
  },
  Dutch: {
    own: 'Ja, donderdag kan ik.\n\nOp vrijdag ben ik weg: vraag het aan Zoë.',
    gmail: 'Op di 3 nov 2026 om 10:00 schreef WHO:',
    apple: 'Op 3 nov 2026, om 10:00 heeft WHO het volgende geschreven:',
    thunderbird: 'Op 3-11-2026 om 10:00 schreef WHO:',
    labels: ['Van', 'Verzonden', 'Aan', 'Onderwerp'],
    phone: 'Verstuurd vanaf mijn iPhone',
    outlookMobile: 'Outlook voor iOS<https://aka.ms/o0ukef> downloaden',
    original: 'Oorspronkelijk bericht',
  },
  Polish: {
    own: 'Tak, w czwartek mi pasuje.\n\nW piątek mnie nie ma: zapytaj Łukasza.',
    gmail: 'wt., 3 lis 2026 o 10:00 WHO napisał(a):',
    apple: 'Wiadomość napisana przez WHO w dniu 3 lis 2026, o godz. 10:00:',
    thunderbird: 'W dniu 3.11.2026 o 10:00, WHO pisze:',
    labels: ['Od', 'Wysłano', 'Do', 'Temat'],
    phone: 'Wysłane z iPhone’a',
    outlookMobile: 'Pobierz aplikację Outlook dla systemu iOS<https://aka.ms/o0ukef>',
    original: 'Wiadomość oryginalna',
  },
  Russian: {
    own: 'Да, в четверг могу.\n\nВ пятницу меня не будет: спросите Бориса.',
    gmail: 'вт, 3 нояб. 2026 г. в 10:00, WHO:',
    apple: '3 нояб. 2026 г., в 10:00, WHO написал(а):',
    thunderbird: '03.11.2026 10:00, WHO пишет:',
    labels: ['От', 'Отправлено', 'Кому', 'Тема'],
    phone: 'Отправлено с iPhone',
    outlookMobile: 'Скачать Outlook для iOS<https://aka.ms/o0ukef>',
    original: 'Исходное сообщение',
  },
  Japanese: {
    own: 'はい、木曜日なら大丈夫です。\n\n金曜日は不在です：ベンさんに聞いてください。',
    gmail: '2026年11月3日(火) 10:00 WHO:',
    apple: '2026/11/03 10:00、WHOのメール:',
    thunderbird: 'On 2026/11/03 10:00, WHO wrote:',
    labels: ['差出人', '送信日時', '宛先', '件名'],
    phone: 'iPhoneから送信',
    outlookMobile: 'iOS 版 Outlook<https://aka.ms/o0ukef>を入手',
    original: '元のメッセージ',
  },
  Chinese: {
    own: '可以，星期四没问题。\n\n星期五我不在：请问小李。',
    gmail: 'WHO 于2026年11月3日周二 10:00写道：',
    apple: '2026年11月3日 10:00，WHO 写道：',
    thunderbird: '在 2026/11/3 10:00, WHO 写道:',
    labels: ['发件人', '发送时间', '收件人', '主题'],
    phone: '发自我的 iPhone',
    outlookMobile: '获取 Outlook for iOS<https://aka.ms/o0ukef>',
    original: '原始邮件',
  },
  Arabic: {
    own: 'نعم، يوم الخميس مناسب.\n\nفي يوم الجمعة لن أكون هنا: اسأل سامي.',
    gmail: 'في الثلاثاء، 3 نوفمبر 2026 في 10:00 ص تمت كتابة ما يلي بواسطة WHO:',
    apple: 'في ٣ نوفمبر 2026، الساعة 10:00، كتب WHO:',
    thunderbird: 'في 3/11/2026 10:00، كتب WHO:',
    labels: ['من', 'تاريخ الإرسال', 'إلى', 'الموضوع'],
    phone: 'أُرسلت من الـ iPhone',
    outlookMobile: 'احصل على Outlook لـ iOS<https://aka.ms/o0ukef>',
    original: 'الرسالة الأصلية',
  },
}
