"""English word lists used by the rules."""

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.patterns import PhraseSet

KIN = word_set(
    "wife husband partner girlfriend boyfriend fiance fiancee spouse son daughter sons daughters kid kids "
    "child children baby twins mother father mom mum mam dad mommy daddy parents brother sister brothers "
    "sisters sibling siblings twin grandmother grandfather grandma grandpa granny gran nan grandparents "
    "grandson granddaughter grandkids aunt uncle cousin niece nephew stepmother stepfather stepson "
    "stepdaughter stepdad stepmom mother-in-law father-in-law sister-in-law brother-in-law in-laws "
    "godmother godfather godson goddaughter family dog dogs cat cats puppy kitten pet parrot rabbit "
    "hamster horse turtle bird fish ex ex-wife ex-husband"
)
PARTNERS = word_set("wife husband partner girlfriend boyfriend fiance fiancee spouse")
ACQUAINTANCES = word_set(
    "boss manager colleague coworker co-worker roommate flatmate housemate friend therapist doctor teacher "
    "supervisor advisor mentor assistant landlord neighbour neighbor coach"
)
THINGS = word_set(
    "app apps application project projects backend frontend back-end front-end database api apis site "
    "website service services server system codebase repo repository product platform stack team startup "
    "company game library plugin bot pipeline infrastructure ci tests architecture deadline budget deploy "
    "deployment release mvp prototype business store shop blog newsletter thesis dissertation client "
    "clients everything beta alpha launch demo milestone submission"
)
HAVABLE = word_set(
    "wife husband partner girlfriend boyfriend son daughter sons daughters kid kids child children baby "
    "twins brother brothers sister sisters sibling siblings grandson granddaughter grandkids grandchildren "
    "nephew niece boys girls dog dogs cat cats puppy kitten pet pets parrot rabbit rabbits hamster horse "
    "horses turtle fish chickens diabetes asthma adhd add autism dyslexia epilepsy anxiety depression "
    "insomnia migraines migraine arthritis cancer celiac coeliac hypertension eczema psoriasis "
    "endometriosis pcos ibs crohn's hypothyroidism scoliosis tinnitus vertigo allergy allergies "
    "intolerance phobia disability ocd ptsd bipolar lupus fibromyalgia alzheimer's parkinson's dementia "
    "pressure cholesterol car bike motorcycle motorbike house apartment flat condo boat van truck garden "
    "farm cabin tesla piano guitar business company shop store bakery restaurant startup blog podcast "
    "channel studio workshop allotment clinic gallery degree phd masters master's mba bachelor's diploma "
    "licence license visa citizenship passport "
    "mortgage"
)
DIETS = word_set(
    "vegetarian vegan pescatarian pescetarian flexitarian carnivore omnivore gluten-free dairy-free keto "
    "kosher halal teetotal sober"
)
CONDITIONS = word_set(
    "diabetic celiac coeliac asthmatic dyslexic autistic epileptic deaf blind colour-blind color-blind "
    "colorblind colourblind bipolar anaemic anemic disabled neurodivergent left-handed right-handed "
    "ambidextrous short-sighted nearsighted hypertensive lactose gluten colour color insomniac "
    "immunocompromised"
)
STATES = word_set(
    "married single divorced widowed separated engaged pregnant retired unemployed self-employed freelance "
    "adopted gay straight lesbian bisexual bi queer trans transgender nonbinary non-binary asexual "
    "catholic christian muslim jewish hindu buddhist atheist agnostic protestant mormon religious "
    "bilingual trilingual introverted extroverted homeschooled"
)
NATIONALITIES = word_set(
    "american british english scottish welsh irish canadian australian brazilian portuguese spanish french "
    "german italian dutch belgian swiss austrian polish czech slovak hungarian romanian bulgarian greek "
    "turkish russian ukrainian swedish norwegian danish finnish icelandic indian pakistani bangladeshi "
    "chinese japanese korean vietnamese thai filipino indonesian malaysian mexican argentinian argentine "
    "chilean colombian peruvian venezuelan cuban nigerian ghanaian kenyan egyptian moroccan ethiopian "
    "israeli lebanese iranian iraqi syrian african european asian latino latina hispanic catalan basque "
    "serbian croatian slovenian estonian latvian lithuanian angolan mozambican"
)
NOT_NAMES = NATIONALITIES | word_set(
    "ok okay sorry sure fine good great happy glad new back here ready done not afraid catholic christian "
    "muslim jewish hindu buddhist ceo cto cfo vp phd md hr qa pm using getting trying having looking "
    "working i a an the in on at from vegan vegetarian currently also just ux ui it dev senior junior lead "
    "head same right anyone anybody nothing everything all still over out up me nobody down"
)
JOBS = word_set(
    "nurse doctor dentist vet surgeon lawyer attorney paralegal chef cook waiter waitress barista baker "
    "butcher farmer engineer developer programmer designer architect analyst consultant manager director "
    "producer editor writer author journalist reporter photographer musician artist actor actress dancer "
    "singer teacher professor lecturer tutor coach student freelancer entrepreneur founder co-founder "
    "cofounder ceo cto cfo owner researcher scientist biologist chemist physicist mathematician economist "
    "historian psychologist therapist psychiatrist counselor pharmacist paramedic firefighter cop officer "
    "soldier veteran pilot driver mechanic plumber electrician carpenter builder accountant auditor banker "
    "broker trader realtor salesperson marketer recruiter librarian translator interpreter secretary "
    "receptionist cashier clerk janitor cleaner nanny babysitter mom mum dad father mother parent widow "
    "widower grandmother grandfather retiree immigrant expat refugee beginner novice dev intern trainee "
    "apprentice postdoc undergrad freshman sophomore senior junior runner cyclist swimmer gamer admin "
    "sysadmin devops vegetarian vegan pescatarian diabetic native monk priest pastor imam rabbi model "
    "stylist hairdresser barber feminist introvert extrovert insomniac minimalist polyglot homeowner "
    "landlord tenant citizen politician diplomat lead donor volunteer"
)
TRAITS = DIETS | word_set(
    "beginner novice runner cyclist swimmer gamer diabetic native feminist introvert extrovert insomniac minimalist "
    "polyglot homeowner landlord tenant citizen immigrant expat refugee widow widower parent donor volunteer veteran"
)
NOT_JOBS = word_set(
    "number matter computer user customer bother monster winner loser sucker killer stranger super error "
    "wonder fighter believer lover hater sister brother daughter other together paper letter answer "
    "character newer older better offer terrorist detective pirate wizard ghost robot"
)
LANGUAGES = word_set(
    "english spanish french german italian portuguese dutch polish russian ukrainian chinese mandarin "
    "cantonese japanese korean arabic hindi urdu bengali turkish greek hebrew swedish norwegian danish "
    "finnish catalan basque galician romanian hungarian czech vietnamese thai indonesian swahili latin "
    "esperanto irish welsh farsi persian"
)
SCHOOLING = word_set(
    "phd doctorate master masters master's mba degree bachelor bachelor's ba bsc msc postdoc residency "
    "internship bootcamp apprenticeship diploma ma"
)
PLAYABLE = word_set(
    "guitar piano violin cello bass drums flute saxophone trumpet ukulele harp clarinet banjo viola "
    "keyboards synth tennis football soccer basketball volleyball badminton squash padel golf chess hockey "
    "rugby baseball cricket poker"
)
STRONG = word_set(
    "terrified devastated heartbroken desperate furious petrified overwhelmed depressed hopeless miserable "
    "panicking burned-out burnt-out ecstatic exhausted traumatised traumatized suicidal grieving"
)
FEELINGS = STRONG | word_set(
    "anxious stressed worried sad lonely scared afraid nervous ashamed guilty angry upset frustrated "
    "insecure unhappy homesick jealous lost empty numb unmotivated discouraged demotivated isolated "
    "panicky irritable tense embarrassed"
)
VERY = word_set("so very really extremely incredibly super deeply constantly always absolutely terribly too")
LIFE_VERBS = word_set(
    "learn become move quit stop lose save travel visit study retire improve found launch publish graduate "
    "adopt marry emigrate relocate buy sell own live volunteer settle read speak earn pass"
)
MAYBE_LIFE_VERBS = word_set(
    "be build start open write get run have finish work go create do eat drink reduce cut"
)
LIFE_THINGS = word_set(
    "book novel company business startup house home kids family degree marathon restaurant cafe bakery shop "
    "year years decade career debt weight fit healthier job abroad someday day therapist doctor "
    "engineer developer teacher nurse parent father mother meat sugar alcohol smoking level fluent certified "
    "spanish french german italian portuguese japanese english mandarin korean dutch"
)
MOMENTARY = word_set(
    "trying waiting looking wondering debugging stuck thinking having getting fixing searching reading "
    "stuck seeing testing staring sitting scrolling told asked feeling tracking keeping meaning"
)
LONG_TIME = word_set("year years month months decade decades since childhood")
EVENTS_BOUGHT = word_set(
    "house home apartment flat car bike motorcycle motorbike boat van piano guitar camera laptop land farm "
    "condo tesla truck phone iphone macbook ring horse puppy dog"
)
EXAMS = word_set("exam exams bar test driving licence license interview certification course degree thesis")
ARCHITECTURE = word_set(
    "architecture pattern patterns principles convention conventions tdd ddd solid mvc mvvm cqrs monorepo "
    "microservices hexagonal"
)
LIVED = word_set("lived worked studied played taught run owned been")

COUNTS = word_set(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred"
)
DECADES = word_set(
    "twenties thirties forties fifties sixties seventies eighties nineties 20s 30s 40s 50s 60s 70s 80s teens"
)
BODY = word_set(
    "back knee knees hip hips shoulder shoulders heart wrist ankle arm leg foot hand finger rib ribs nose "
    "neck collarbone "
    "elbow toe hearing eyesight kidney kidneys liver lungs stomach tooth spine tendon ligament"
)
TREATMENTS = word_set(
    "surgery operation chemo chemotherapy radiotherapy transplant biopsy scan mri c-section hysterectomy session"
)
DWELLING = word_set("flat apartment house home room office garden kitchen studio")
OCCASIONS = word_set(
    "wedding exam exams interview appointment surgery operation flight graduation defense defence party reunion "
    "concert race audition funeral ceremony anniversary recital hearing"
)
LESSONS = word_set(
    "class classes lesson lessons therapy practice rehearsal rehearsals training choir yoga pilates physio judo karate "
    "ballet"
)
FEATS = word_set(
    "marathon marathons half-marathon triathlon ironman ultramarathon camino summit race everest kilimanjaro pilgrimage"
)
WORKS = word_set(
    "book novel thesis dissertation paper album shop store company startup restaurant app game bakery cafe business "
    "gallery podcast"
)

FILLERS = PhraseSet.parse(
    "hi, hey, hello, hiya, hi there, hey there, hello there, yo, so, well, honestly, actually, also, and, "
    "but, btw, by the way, just so you know, fyi, for context, some context, context, ok, okay, yes, yeah, "
    "yep, no, nope, oh, ah, wow, now, right now, currently, these days, nowadays, personally, "
    "unfortunately, luckily, sadly, finally, recently, just, anyway, look, listen, sure, great, cool, "
    "nice, thanks, thank you, good morning, good evening, good afternoon, hmm, hm, um, like, plus, then, "
    "please, in general, generally, at work, at home, for now, quick fact, fun fact, fact, quick update, "
    "update, good news, bad news, to be honest, tbh, as you know, as i said, i mean, you know, nice to "
    "meet you, because, since, as, though, although, after all, well then, the thing is, basically, in "
    "fact, decision made, i should mention that, i should mention, note that, i told you that, just "
    "confirmed, confirmed, for the record, for this project, in this project, on this project, for our "
    "project, in our project, for my project, in my project, at my company, at our company, again, once again, "
    "once more, one day, someday, some day, one thing, one more thing, as i told you, as i mentioned, like i "
    "said, as mentioned"
)
