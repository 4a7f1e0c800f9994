//! The lists themselves, in the order of their bytes.

/// English. The remains of contractions (`don't`, `we'll`) are listed too, because an apostrophe
/// separates.
#[rustfmt::skip]
pub(super) const EN: [&str; 150] = [
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are", "aren",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "cannot", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "down",
    "during", "each", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven",
    "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in",
    "into", "is", "isn", "it", "its", "itself", "just", "ll", "m", "me", "more", "most", "mustn", "my",
    "myself", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours",
    "ourselves", "out", "over", "own", "re", "s", "same", "shan", "she", "should", "shouldn", "so",
    "some", "such", "t", "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "ve", "very", "was",
    "wasn", "we", "were", "weren", "what", "when", "where", "which", "while", "who", "whom", "why",
    "will", "with", "won", "would", "wouldn", "you", "your", "yours", "yourself", "yourselves",
];

/// German, as case folding writes it: `ss` for `ß`.
#[rustfmt::skip]
pub(super) const DE: [&str; 182] = [
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "ander", "andere",
    "anderem", "anderen", "anderer", "anderes", "auch", "auf", "aus", "bei", "bin", "bis", "bist", "da",
    "damit", "dann", "das", "dass", "dein", "deine", "deinem", "deinen", "deiner", "dem", "den", "denn",
    "der", "des", "dessen", "dich", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "dir",
    "doch", "dort", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "etwas",
    "euch", "euer", "eure", "für", "gegen", "gewesen", "hab", "habe", "haben", "hat", "hatte", "hatten",
    "hier", "hin", "hinter", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im",
    "in", "indem", "ins", "ist", "ja", "jede", "jedem", "jeden", "jeder", "jedes", "jener", "jetzt",
    "kann", "kein", "keine", "keinem", "keinen", "keiner", "können", "könnte", "machen", "man", "manche",
    "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss", "musste", "nach",
    "nicht", "nichts", "noch", "nun", "nur", "ob", "oder", "ohne", "sehr", "sein", "seine", "seinem",
    "seinen", "seiner", "selbst", "sich", "sie", "sind", "so", "solche", "soll", "sollte", "sondern",
    "sonst", "um", "und", "uns", "unser", "unsere", "unter", "viel", "vom", "von", "vor", "war", "waren",
    "warst", "was", "weil", "welche", "welcher", "wenn", "werde", "werden", "wie", "wieder", "will",
    "wir", "wird", "wirst", "wo", "wollen", "wollte", "während", "würde", "würden", "zu", "zum", "zur",
    "zwar", "zwischen", "über",
];

/// French. Elided forms (`l'eau`, `qu'il`) leave single letters, which are listed.
#[rustfmt::skip]
pub(super) const FR: [&str; 114] = [
    "ai", "au", "aucun", "aussi", "autre", "aux", "avait", "avant", "avec", "avoir", "c", "car", "ce",
    "cela", "ces", "cet", "cette", "chez", "comme", "d", "dans", "de", "des", "deux", "donc", "dont",
    "du", "elle", "elles", "en", "encore", "entre", "est", "et", "eu", "eux", "fait", "fut", "ici", "il",
    "ils", "j", "je", "jusqu", "l", "la", "le", "les", "leur", "leurs", "lui", "m", "ma", "mais", "me",
    "mes", "moi", "mon", "même", "n", "ne", "ni", "nos", "notre", "nous", "on", "ont", "ou", "où", "par",
    "pas", "peu", "plus", "pour", "puis", "qu", "quand", "que", "quel", "quelle", "qui", "quoi", "s",
    "sa", "sans", "se", "sera", "ses", "si", "soit", "son", "sont", "sous", "sur", "t", "ta", "te", "tes",
    "toi", "ton", "tous", "tout", "toute", "toutes", "tu", "un", "une", "vos", "votre", "vous", "y", "à",
    "été", "être",
];

/// Spanish.
#[rustfmt::skip]
pub(super) const ES: [&str; 131] = [
    "a", "al", "algo", "algunas", "alguno", "algunos", "ante", "antes", "aquel", "aquella", "así",
    "aunque", "bien", "cada", "como", "con", "contra", "cual", "cuando", "de", "del", "desde", "donde",
    "dos", "durante", "e", "el", "ella", "ellas", "ellos", "en", "entre", "era", "eran", "es", "esa",
    "esas", "ese", "eso", "esos", "esta", "estaba", "estado", "estas", "este", "esto", "estos", "está",
    "están", "fue", "fueron", "ha", "haber", "había", "hace", "han", "hasta", "hay", "la", "las", "le",
    "les", "lo", "los", "me", "mi", "mientras", "mis", "mucho", "muchos", "muy", "más", "nada", "ni",
    "no", "nos", "nosotros", "nuestra", "nuestro", "o", "os", "otra", "otras", "otro", "otros", "para",
    "pero", "poco", "por", "porque", "pues", "que", "quien", "quienes", "qué", "se", "sea", "según",
    "ser", "si", "sido", "sin", "sobre", "solo", "son", "su", "sus", "sí", "también", "tan", "tanto",
    "te", "tiene", "tienen", "toda", "todas", "todo", "todos", "tras", "tu", "tus", "un", "una", "unas",
    "uno", "unos", "vosotros", "y", "ya", "yo", "él",
];

/// Italian. Elided articles (`dell'arte`) leave their stumps, which are listed.
#[rustfmt::skip]
pub(super) const IT: [&str; 136] = [
    "a", "ad", "agli", "ai", "al", "all", "alla", "alle", "allo", "altri", "altro", "anche", "ancora",
    "avere", "aveva", "c", "che", "chi", "ci", "come", "con", "contro", "cui", "d", "da", "dagli", "dai",
    "dal", "dall", "dalla", "dalle", "dallo", "de", "degli", "dei", "del", "dell", "della", "delle",
    "dello", "di", "dopo", "dove", "due", "e", "ed", "era", "erano", "essere", "fra", "fu", "gli", "ha",
    "hanno", "ho", "i", "il", "in", "io", "l", "la", "le", "lei", "li", "lo", "loro", "lui", "ma", "me",
    "mi", "mia", "mio", "molto", "ne", "negli", "nei", "nel", "nell", "nella", "nelle", "nello", "noi",
    "non", "nostra", "nostro", "o", "ogni", "per", "perché", "più", "poi", "quale", "quando", "quanto",
    "quella", "quelle", "quelli", "quello", "questa", "queste", "questi", "questo", "qui", "sarà", "se",
    "sei", "si", "sia", "solo", "sono", "sopra", "sotto", "sta", "stata", "stato", "su", "sua", "sue",
    "sugli", "sui", "sul", "sull", "sulla", "sulle", "suo", "suoi", "tra", "tu", "tutti", "tutto", "un",
    "una", "uno", "vi", "voi", "è",
];

/// Portuguese.
#[rustfmt::skip]
pub(super) const PT: [&str; 122] = [
    "a", "ao", "aos", "aquela", "aquele", "aqueles", "aquilo", "as", "até", "cada", "com", "como", "da",
    "das", "de", "dela", "dele", "deles", "depois", "do", "dos", "e", "ela", "elas", "ele", "eles", "em",
    "entre", "era", "eram", "essa", "essas", "esse", "esses", "esta", "estas", "este", "estes", "está",
    "estão", "eu", "foi", "foram", "há", "isso", "isto", "já", "lhe", "lhes", "mais", "mas", "me",
    "mesmo", "meu", "meus", "minha", "muito", "muitos", "na", "nas", "nem", "no", "nos", "nossa", "nosso",
    "num", "numa", "não", "nós", "o", "onde", "os", "ou", "outra", "outras", "outro", "outros", "para",
    "pela", "pelas", "pelo", "pelos", "pode", "por", "porque", "quais", "qual", "quando", "que", "quem",
    "se", "sem", "ser", "será", "seu", "seus", "sobre", "somos", "sua", "suas", "são", "só", "também",
    "te", "tem", "tinha", "toda", "todas", "todo", "todos", "tu", "têm", "um", "uma", "umas", "uns",
    "você", "vocês", "vos", "à", "às", "é",
];

/// Dutch.
#[rustfmt::skip]
pub(super) const NL: [&str; 112] = [
    "aan", "al", "alle", "alleen", "als", "altijd", "ander", "andere", "ben", "bent", "bij", "daar",
    "dan", "dat", "de", "deze", "die", "dit", "doch", "doen", "door", "dus", "een", "eens", "en", "er",
    "ge", "geen", "geweest", "haar", "had", "hadden", "heb", "hebben", "heeft", "hem", "het", "hier",
    "hij", "hoe", "hun", "ik", "in", "is", "ja", "je", "jij", "jou", "jouw", "kan", "kon", "kunnen",
    "maar", "me", "meer", "men", "met", "mij", "mijn", "moet", "na", "naar", "niet", "niets", "nog", "nu",
    "of", "om", "omdat", "onder", "ons", "ook", "op", "over", "reeds", "s", "t", "te", "tegen", "toch",
    "toen", "tot", "u", "uit", "uw", "van", "veel", "voor", "want", "waren", "was", "wat", "we", "wel",
    "werd", "wezen", "wie", "wij", "wil", "word", "worden", "wordt", "zal", "ze", "zei", "zelf", "zich",
    "zij", "zijn", "zo", "zonder", "zou",
];

/// Russian, as composition writes it: `й` is one character.
#[rustfmt::skip]
pub(super) const RU: [&str; 143] = [
    "а", "без", "более", "больше", "будет", "будто", "бы", "был", "была", "были", "было", "быть", "в",
    "вам", "вас", "ведь", "во", "вот", "впрочем", "все", "всегда", "всего", "всех", "всю", "вы", "где",
    "да", "даже", "для", "до", "если", "есть", "еще", "ещё", "ж", "же", "за", "здесь", "и", "из", "или",
    "им", "иногда", "их", "к", "как", "какая", "какой", "когда", "конечно", "кто", "куда", "ли", "лучше",
    "между", "меня", "мне", "много", "может", "можно", "мой", "моя", "мы", "на", "над", "надо", "наконец",
    "нас", "не", "него", "нее", "ней", "нельзя", "нет", "неё", "ни", "нибудь", "никогда", "ним", "них",
    "ничего", "но", "ну", "о", "об", "один", "он", "она", "они", "оно", "от", "перед", "по", "под",
    "после", "потом", "потому", "почти", "при", "про", "раз", "разве", "с", "сам", "свою", "себе", "себя",
    "сейчас", "со", "так", "такой", "там", "тебя", "тем", "теперь", "то", "тогда", "того", "тоже",
    "только", "том", "тот", "три", "тут", "ты", "у", "уж", "уже", "хорошо", "хоть", "чего", "чем",
    "через", "что", "чтобы", "чуть", "эти", "этого", "этой", "этом", "этот", "эту", "я",
];

/// Chinese, simplified and traditional: particles and function characters, one by one as tokens
/// are.
#[rustfmt::skip]
pub(super) const ZH: [&str; 83] = [
    "一", "不", "与", "个", "为", "么", "之", "也", "了", "于", "些", "从", "他", "以", "们", "会", "但", "你", "個", "們",
    "其", "再", "到", "又", "及", "只", "可", "吗", "吧", "呀", "呢", "和", "哦", "啊", "嗎", "嘛", "因", "在", "地", "她",
    "它", "对", "對", "就", "很", "得", "從", "我", "或", "所", "才", "把", "於", "是", "會", "有", "此", "沒", "没", "為",
    "的", "着", "給", "给", "而", "能", "與", "著", "被", "要", "該", "讓", "让", "该", "过", "还", "这", "這", "過", "還",
    "那", "都", "麼",
];
