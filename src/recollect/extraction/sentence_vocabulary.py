"""
Word classes of the sentence features, in English and Portuguese.

Words are compared after folding; "_" joins the words of a phrase.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.pt import word_lists as pt
from recollect.extraction.rules.tokens import fold

#: A supposition among the first words covers the whole sentence.
MAX_LEAD_WORDS = 4

_ENGLISH = {
    "text_work": "translate translation proofread transcribe transcribed modernise modernize correct "
    "rewrite rephrase "
    "paraphrase summarise summarize shorten polish edit critique feedback read_this read_it read_over look_over "
    "check_this check_these continue_the continue_it go_on_from as_follows sounds_odd sound_odd scans keep_reading "
    "tighten convert_this what_do_you_think_of what_do_you_think thoughts cut_what too_neat tell_me_honestly "
    "tell_me_if is_the_last grammar tense tenses",
    "foreign_text": "excerpt passage extract readme article abstract essay statement testimonial blurb transcript "
    "chapter novel novella poem sonnet screenplay monologue lyrics verse chorus protagonist narrator heroine hero "
    "character characters fiction textbook worksheet exercise exercise_book homework opening_line first_line review "
    "reviews release_note press_release cover_letter job_ad diary stanza sent_me_this wrote_me_this "
    "forwarded dear_sir yours_faithfully yours_sincerely my_dearest she_wrote he_wrote letter_to scene "
    "story limerick",
    "play": "pretend role-play roleplay role_play you_are_the you_are_a you_are_an you're_the you're_a "
    "you're_my you're_an "
    "ur_the ur_a u_are_a in_character act_as imagine let's_play lets_play we're_at i'm_the simulate simulation mock "
    "rap_battle dungeon campaign improv",
    "case_study": "scenario case_study hypothetical hypothetically suppose say_somebody say_someone "
    "a_woman a_man a_manager "
    "a_person a_company a_startup a_team what_would_you quiz dilemma riddle column newsletter what_if "
    "fictional made-up "
    "make_them_up meme",
    "first_person": "i im i'm ive i've i'd id i'll we we're we've we'd we'll were_a me us myself ourselves",
    "first_possessive": "my our mine ours",
    "we": "we we're we've we'll we'd our us",
    "second_person": "you your you're youre u ur yours you've you'll you'd",
    "other_person": "he she they him her them he's she's they're hes shes theyre they've his their",
    "kin": "wife husband partner girlfriend boyfriend fiance fiancee spouse son sons daughter daughters "
    "kid kids child children "
    "baby twins mother father mom mum mam dad mama papa daddy parents brother brothers sister sisters "
    "sibling siblings "
    "grandmother grandfather grandma grandpa granny gran nan nana grandparents grandson granddaughter "
    "aunt auntie uncle cousin "
    "cousins niece nephew stepson stepdaughter stepdad stepmum mother-in-law father-in-law sister-in-law "
    "brother-in-law in-laws "
    "godmother godfather godson goddaughter lad toddler eldest youngest oldest family folks ex "
    "mother_in_law father_in_law "
    "brother_in_law sister_in_law other_half mil fil",
    "pet": "dog dogs cat cats puppy kitten rabbit hamster parrot pony horse horses hens chickens "
    "tortoise budgie ferret",
    "role_person": "boss manager colleague coworker teammate flatmate roommate housemate friend mate "
    "bestie therapist teacher "
    "supervisor advisor mentor coach landlord landlady accountant tutor midwife gp doctor dr client "
    "clients lawyer solicitor "
    "bandmate cofounder co-founder intern physio dentist lead team",
    "stranger": "neighbour neighbours neighbor neighbors stranger guy bloke lady postman postwoman "
    "driver waiter cashier somebody "
    "someone everyone everybody people man woman upstairs couple passenger teenager teenagers tourist mr mrs",
    "request": "can_you could_you would_you will_you help_me can_u could_u please pls plz i_need_help "
    "need_help give_me tell_me "
    "show_me write_me make_me explain i_need_a i_need_an i_need_you i_want_you i'd_like_a i'd_like_you "
    "i_want_a need_a "
    "need_some i_need_some i_need i_wanted looking_for remind_me let_me_know what_i_need what_i_want what_i'd_like",
    "imperative": "write rewrite make give tell explain list show summarise summarize translate check "
    "correct fix turn keep draft "
    "suggest compare put use find help shorten add remove cut include ignore answer reply ask stop start "
    "convert proofread "
    "review send stay imagine pretend let lets let's do don't dont skip just say pick choose calculate "
    "change begin format",
    "standing": "always never from_now_on from_today from_here_on every_time whenever ever when_you "
    "when_i_ask for_future going_forward "
    "no_more any_more anymore by_default please_don't please_dont stop_giving stop_using stop_suggesting "
    "in_everything for_everything "
    "each_time in_all in_anything please_stop",
    "standing_order": "from_now_on from_today from_here_on please_never please_always never_use "
    "never_suggest never_give never_put never_call "
    "never_write never_answer never_show never_send always_use always_put always_answer always_give "
    "always_write always_reply "
    "always_add always_include always_call please_stop stop_giving stop_using stop_suggesting "
    "stop_calling unless_i_ask unless_i_say "
    "unless_i_tell don't_ever dont_ever no_more whenever_i when_i_ask when_you_give when_you_write "
    "when_you_answer when_you_show "
    "every_time_you every_time_i_ask don't_call_me dont_call_me please_no in_future for_future "
    "going_forward i_never_want "
    "please_don't_give please_dont_give don't_suggest every_recipe please_don't_use in_any in_anything in_everything",
    "question_word": "what what's whats how how's why where when who which is are do does did can could "
    "should would am will whose",
    "negation": "not no never don't dont doesn't doesnt didn't didnt isn't isnt wasn't won't wont can't "
    "cant couldn't cannot without "
    "none nothing nobody neither aren't haven't havent hasn't ain't wouldn't nor",
    "ended": "any_more anymore no_longer used_to stopped quit gave_up given_up dropping dropped drop "
    "switched switching swapped "
    "going_back back_to instead instead_of cancelled canceled is_off are_off called_off moved_to "
    "replaced replacing replaces "
    "split_up broke_up left ended",
    "correction": "i_said i_told_you i_told actually correction not_what wrong mixed_up my_mistake "
    "i_meant its_not it's_not they're_not "
    "forget_it scrap_that update new_plan changed_my_mind rather_than",
    "past": "was were had did went got came told said bought sold made took moved started finished left "
    "lost found passed failed "
    "met saw decided agreed signed booked ordered broke fell died joined quit gave put paid got_a called "
    "spent grew turned "
    "ended happened",
    "perfect": "i've_been ive_been we've_been i_have_been has_been have_been i've_got ive_got we've_got "
    "i've ive we've have_had "
    "has_had i've_had ive_had",
    "future": "will i'll we'll going_to gonna starts start_on starting next due by_the_end coming_up moving leaving "
    "arrives planning plan_to",
    "month": "january february march april in_may of_may by_may since_may until_may june july august september "
    "october november december jan feb mar apr jun jul aug "
    "sept sep oct nov dec spring summer autumn winter fall christmas easter",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays "
    "sundays weekend weekends mon tue tues wed thu thurs fri sat",
    "relative_date": "yesterday tomorrow last_week last_month last_year last_night last_spring "
    "last_summer last_autumn last_winter "
    "next_week next_month next_year ago this_year this_month last_tuesday last_monday next_spring next_summer",
    "transient": "today tonight now right_now just_now this_morning at_the_moment currently "
    "this_afternoon this_evening still "
    "in_a_sec all_day in_a_minute",
    "habit": "every usually always often each daily weekly monthly twice once_a every_day every_night "
    "every_week most_days whenever "
    "mornings evenings a_week a_day a_month per_week at_weekends nights regularly",
    "since": "since for_years since_i from until till for_good for_life years_now for_about as_of after_the after_a",
    "health": "diagnosed diagnosis allergic allergy allergies intolerant intolerance diabetes diabetic "
    "coeliac celiac asthma asthmatic "
    "migraine migraines tablets pills medication meds mg ml insulin pump blood pressure cholesterol thyroid anxiety "
    "depression adhd autism autistic dyslexic dyslexia epilepsy surgery operation hospital a&e stent "
    "stents stroke heart "
    "cancer chemo biopsy scan mri x-ray pregnant pregnancy weeks_pregnant due_date pneumonia fever "
    "infection antibiotics "
    "amoxicillin broke fracture arthritis hearing_aid hearing wheelchair deaf blind colourblind "
    "colorblind glasses eczema "
    "vegetarian vegan pescatarian gluten lactose nuts nut peanuts shellfish kosher halal iron haemoglobin sertraline "
    "dementia inhaler knee sciatica hernia insomnia panic tinnitus rehab sober therapy",
    "diet": "eat eats ate meat fish milk dairy sugar alcohol drink coffee spicy vegetarian vegan "
    "pescatarian gluten lactose",
    "work": "work works working job jobs career office shift shifts salary promoted promotion boss teach "
    "teaches teacher nurse engineer "
    "developer electrician plumber carpenter lawyer accountant freelance freelancer self-employed "
    "company startup business "
    "shop clinic practice studio retired retire degree phd thesis masters apprentice apprenticeship "
    "school university uni college "
    "study studies studying student exam exams team clients contract hired redundant redundancy notice intern driver "
    "designer manager baker chef vet architect",
    "home": "live lives living lived rent rented renting flat house apartment mortgage landlord moved "
    "moving move grew_up born "
    "raised hometown from_originally commute garden allotment cottage town village city neighbourhood",
    "possess": "i've_got ive_got i_have i've_a i_own i_drive we_have we've_got we've i_had has got_a "
    "have_a have_two have_three i_use "
    "we_use we're_on we_run i_run runs_on uses",
    "identity": "i'm_a im_a i_am_a i'm_an im_an i_am_an my_name name's call_me called named years_old "
    "year-old aged is_a is_an as_a works_as "
    "i'm_the turns turned turning",
    "preference": "love loves hate hates prefer prefers can't_stand cant_stand favourite favorite rather "
    "i'd_rather dislike "
    "don't_like dont_like not_a_fan enjoy enjoys fond obsessed can't_bear won't_eat won't_touch i_like "
    "likes not_into "
    "i_don't_want i_dont_want i_want i_never i_always i_only only_drink only_eat loathe detest adore sick_of",
    "goal": "goal aim want_to wants_to hoping hope_to dream plan plans planning trying_to saving save "
    "training_for learning learn "
    "i'd_like_to i'd_love_to target aiming by_summer by_christmas intend retrain signed_up signing_up "
    "working_towards wants",
    "decision": "decided decide decision agreed agree settled going_with go_with chose chosen "
    "we're_using we_use we'll_use dropping "
    "sticking_with final signed_off ruled_out instead_of not_renewing rule rules must has_to have_to "
    "budget capped deadline "
    "release releases from_now_on policy we're_going only_on never_on approved voted gone_with went_with switching",
    "event": "born died passed_away wedding married marry engaged divorced divorce separated birthday "
    "anniversary graduation funeral "
    "interview exam concert trip flight flying holiday baptism shower party appointment operation scan "
    "review recital marathon "
    "race gig launch conference deadline due meeting accident fire flooded burgled stolen broke_into won lost moved "
    "started start starts offer accepted resigned promoted laid_off sacked passed failed bought sold "
    "adopted hike release assembly",
    "emotion": "anxious anxiety scared afraid terrified worried lonely sad low stressed overwhelmed "
    "panic panicky ashamed guilty proud "
    "homesick jealous dread nervous grief grieving cry cried crying miss misses stomach burnt_out "
    "burned_out exhausted "
    "hopeless heartbroken depressed excited happy furious angry fraud dreading",
    "smalltalk": "rain raining rains sun sunny weather cold hot heat traffic bus tube train kettle tea "
    "lunch sandwich tired "
    "sleepy lol haha hahaha lmao hungry noise loud morning! evening! hiya hello hi hey thanks thank_you "
    "cheers ta sorry anyway coffee_in "
    "oven sauce burning typing queue fridge ugh yawn bed biscuit pouring snow windy fog kitchen_looks",
    "filler": "anyway so ok okay right well oh and_also hmm um lol haha btw by_the_way fwiw honestly "
    "basically so_yeah",
    "task": "email mail text letter message list table draft version paragraph line lines title sentence "
    "sentences subject answer words "
    "word caption poster flyer leaflet slides slide essay report summary headline headlines invite "
    "template bullet bullets "
    "font layout page post tweet speech toast recipe menu plan spreadsheet formula script query note "
    "wording tone rhyme "
    "verse chorus song poem story names idea ideas tips example examples",
    "code": "error errors bug crash crashes stack trace exception function column columns null undefined "
    "log logs compile build "
    "command flag regex endpoint endpoints image console output docker_image unit syntax import segfault "
    "fails failing "
    "throws loop variable class method api request response timeout",
    "tech": "host server staging prod production deploy deploys repo branch postgres mysql sqlite redis "
    "graphql rest python rust go "
    "typescript react django kubernetes podman docker debian ubuntu macos windows laptop database "
    "backend frontend release api "
    "cluster aws hetzner vm ci pipeline migration migrations framework language stack version "
    "indentation tabs spaces pr prs",
    "hedge": "maybe probably perhaps might guess i_think dunno not_sure wonder wondering possibly "
    "could_be i_suppose seems kind_of "
    "sort_of who_knows we'll_see i_don't_know i_dont_know no_idea hopefully",
    "hypothetical": "what_if if_i_were if_i_was suppose supposing imagine let's_say lets_say "
    "hypothetical hypothetically would_have "
    "if_we were_to if_i_had if_i'd pretend in_theory say_i",
    "conditional": "if unless otherwise would wouldn't in_case",
    "generic": "most_people people_say according_to the_average in_general generally scientists "
    "studies_show you_can it_is_known one_can",
    "reported": "says said told tells claims reckons thinks bragging heard read_somewhere apparently "
    "swears insists keeps_saying",
    "deictic": "this that these those here there above below it's its it the_one",
    "assistant_feedback": "you_gave you_said your_answer your_suggestion you_suggested didn't_work "
    "doesn't_work still_fails tried_that "
    "i_tried that_worked brilliant_tip i'll_try will_try definitely_try give_it_a_go i'll_let_you "
    "i'll_send good_point",
    "money": "salary rent budget savings mortgage loan debt quid pounds euros dollars bucks k grand pay "
    "paid pays per_month deposit cost price fee",
    "number_word": "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand half",
    "unit": "kg kilos kilo km miles mile cm mg ml hours hour minutes min years year months weeks days gb "
    "percent litres stone "
    "euros pounds quid",
    "superlative": "worst best most least biggest first last",
    "replies": "your_answers your_answer your_replies your_reply your_responses answers_to_me when_you whenever_you "
    "whatever_you anything_you everything_you every_time_you you_write you_make you_give you_send you_put call_me "
    "address_me write_to_me answer_me reply_to_me talk_to_me speak_to_me",
    "memory": "remember for_your_notes for_context for_the_record note_that keep_in_mind fyi "
    "for_future_reference so_you_know for_background "
    "don't_forget dont_forget in_case_i_never heads_up bear_in_mind just_so_you quick_update news status "
    "by_the_way btw",
    "nickname": "call_me name_is my_name i'm_called goes_by sign_as sign_everything",
    "hobby": "play plays playing band choir guitar piano violin bass drums run running climbing cycling "
    "swim knitting sewing pottery "
    "painting gardening chess football tennis yoga dance dancing hiking sing singing fishing photography",
}

_PORTUGUESE = {
    "text_work": "traduz traduza traduzir traducao corrige corrija corrigir revisa revise revisar reveja "
    "resume resuma resumir "
    "analisa analise analisar reescreve reescreva reescrever melhora melhore encurta encurte classifique "
    "comenta comentarios "
    "continue continua transcrevi adapta adapte parafraseie simplifica simplifique o_que_achas o_que_voce_acha "
    "que_te_parece opiniao leia_este leia_esse leia_isso le_isto ve_se mantem_o deixa_o em_terceira_pessoa "
    "na_gramatica "
    "oracoes tempos_verbais dá_uma_olhada da_uma_olhada",
    "foreign_text": "trecho excerto redacao artigo resenha depoimento enunciado apostila conto romance "
    "poema soneto roteiro "
    "monologo letra verso refrao cordel cronica diario cena peca teatro personagem personagens narrador narradora "
    "protagonista capitulo enredo fabula parabola exercicio exercicios gabarito prova_de ficha texto_abaixo o_texto "
    "cardapio comunicado readme bilhete abaixo_assinado prezados caro_senhor me_escreveu escreveu-me me_mandou_em "
    "clube_de_leitura livrinho legenda bio leitora leitor aluno",
    "play": "finge finja faz_de_conta faca_de_conta fingindo simulacao simular encenar vamos_brincar "
    "vamos_fazer_uma personagem "
    "papel_de voce_e_o voce_e_a vc_e_o vc_e_a vc_e_um vc_e_uma voce_e_um voce_e_uma es_o es_a tu_es "
    "eu_sou_o eu_sou_a e_eu_sou "
    "e_eu_o e_eu_a rpg como_se_fosse imagina imagine para_treinar pra_treinar fictícia ficticia ficticio",
    "case_study": "cenario hipotese hipotetico suponha supondo digamos vamos_supor uma_mulher um_homem "
    "uma_empresa empresa_x "
    "estudo_de_caso joao maria_trabalha fulano meme variacoes e_se se_eu_fosse se_eu_largasse uma_amiga um_amigo "
    "um_aluno uma_cliente um_cliente um_irmao uma_leitora",
    "first_person": "eu me mim comigo nos a_gente sou estou to tou tenho moro trabalho estudo gosto "
    "adoro odeio detesto prefiro quero "
    "queria preciso vou fui fiz faço faco tomo uso moramos temos somos estamos vamos comecei mudei "
    "comprei vendi perdi decidi "
    "decidimos consegui passei parei larguei troquei virei nasci cresci casei fechei fechamos mudamos "
    "compramos tava fico ando "
    "toco jogo como bebo corro dou faz_anos_que ganho pago aluguei entrei sai saio acordo durmo dormi "
    "ensino vendo tive "
    "trabalhei estudei recebi recusei aceitei marquei marcamos combinamos escolhemos chamo chamo-me "
    "sinto me_sinto conduzo "
    "vivo nado treino cuido dropamos abandonamos voltamos usamos abri assinei reservei escrevo leio falo aprendo",
    "first_possessive": "meu minha meus minhas nosso nossa nossos nossas",
    "we": "nos a_gente nosso nossa nossos nossas temos somos estamos vamos fechamos decidimos mudamos "
    "usamos combinamos escolhemos "
    "dropamos voltamos abandonamos",
    "second_person": "voce vc vcs te ti tu teu tua contigo lhe seu sua voces ce cê",
    "other_person": "ele ela eles elas dele dela deles delas lhe lhes",
    "kin": "mulher marido esposa esposo companheiro companheira parceiro parceira namorado namorada "
    "noivo noiva filho filha filhos "
    "filhas bebe menino menina mae pai pais irmao irma irmaos irmas gemeos gemeas avo vo vovo vovó avos "
    "neto neta netos tio "
    "tia tios primo prima primos sobrinho sobrinha sogro sogra cunhado cunhada padrasto madrasta enteado "
    "enteada afilhado "
    "afilhada padrinho madrinha familia ex miudo miuda putos caçula cacula mais_velho mais_velha "
    "mais_novo mais_nova compadre",
    "pet": "cachorro cachorra cao cadela gato gata gatos caes coelho papagaio cavalo galinhas calopsita "
    "passarinho tartaruga "
    "vira-lata rafeiro",
    "role_person": "chefe chefa gerente colega amigo amiga amigos professor professora orientador "
    "orientadora terapeuta psicologa "
    "psicologo medica medico dr dra doutora doutor senhorio proprietaria advogado advogada contador "
    "contadora socio socia treinador "
    "treinadora empresaria empresario estagiario estagiaria tech_lead time equipa equipe cliente "
    "clientes diarista pedreiro "
    "fisioterapeuta dentista parteira obstetra cardiologista",
    "stranger": "vizinho vizinha vizinhos moço moco moça moca porteiro motorista cara gente_que alguem "
    "todo_mundo pessoa pessoas "
    "homem senhor senhora rapaz sujeito povo galera caixa atendente fulano entregador",
    "request": "me_ajuda me_ajude ajuda-me ajude-me pode_me pode_dizer pode_fazer voce_pode vc_pode "
    "consegue poderia por_favor me_da "
    "me_de me_diz me_diga diz-me diga-me me_manda me_mande me_fala me_explica preciso_de preciso_que "
    "quero_que quero_um quero_uma "
    "gostaria_de gostava_de queria_um queria_uma queria_que faz_um faz_uma faça-me faz-me da_para da_pra "
    "escreve monta "
    "sugere sugira preciso_de_ajuda me_passa me_sugere so_quero so_preciso quero_so quero_a quero_o "
    "dá_uma da_uma pode_ser",
    "imperative": "escreve escreva faz faça faca diz diga lista liste explica explique traduz traduza "
    "resume resuma corrige corrija "
    "monta monte sugere sugira compara compare usa use responde responda manda mande troca troque tira "
    "tire poe põe ponha "
    "mantem mantenha deixa deixe ignora ignore calcula calcule mostra mostre revisa revise reescreve "
    "reescreva continua "
    "imagina imagine finge finja vamos ajuda ajude analisa verifica ve veja da dê evita evite esquece "
    "esqueça nao inventa "
    "acrescenta acrescente separa divide pensa guarda",
    "standing": "sempre nunca a_partir_de_agora de_agora_em_diante daqui_pra_frente daqui_para_a_frente "
    "daqui_em_diante toda_vez "
    "quando_eu_pedir sempre_que em_tudo jamais por_padrao nada_de sem_emoji quando_eu_perguntar "
    "de_hoje_em_diante nao_me_chame "
    "nao_use nao_usa nao_me_mande nao_corrija todas_as_vezes em_todo em_toda pra_sempre pra_mim_nao",
    "standing_order": "a_partir_de_agora de_agora_em_diante daqui_pra_frente daqui_para_a_frente "
    "daqui_em_diante nunca_use nunca_usa nunca_sugira "
    "nunca_mande nunca_ponha sempre_use sempre_usa usa_sempre use_sempre sempre_me_responde "
    "sempre_me_responda responde_sempre "
    "responda_sempre nao_me_chame nao_me_chama nao_me_mande nao_me_manda nao_me_sugira nao_use nao_usa "
    "nao_corrija a_nao_ser_que_eu "
    "quando_eu_pedir quando_eu_perguntar quando_escrever quando_voce quando_vc quando_me toda_vez_que_eu "
    "sempre_que_eu para_de pare_de "
    "em_tudo pode_me_chamar me_chame_de me_chama_de sem_emoji nada_de jamais pra_vc_guardar em_qualquer em_todo",
    "question_word": "o_que que qual quais como por_que porque quando onde quem sera quanto quantos "
    "quantas quanta é da_pra da_para "
    "sabe existe tem_como",
    "negation": "nao nunca jamais nem nada ninguem nenhum nenhuma sem",
    "ended": "nao_mais mais_nao deixei parei parou larguei larga desisti nao_moro_mais nao_como_mais "
    "ja_nao voltou voltei volta voltar_para voltamos "
    "dropamos abandonamos abandonei troquei trocamos trocar em_vez cancelei cancelado cancelou virou "
    "passou_a passei_a mudou "
    "mudei terminei terminamos separei separamos nao_é_mais nao_sou_mais morreu acabou saimos sai_do sai_da no_lugar",
    "correction": "eu_disse eu_falei falei disse enganei me_enganei errado na_verdade corrigir correcao "
    "correção alias esquece_o pode_esquecer "
    "nao_é_mais mudou_tudo atualizacao atualização troquei_as confundi nao_vai_ser afinal",
    "past": "fui foi foram fiz fez fizemos tive teve comprei vendi mudei comecei terminei saiu sai ficou "
    "fiquei morreu nasceu "
    "perdi perdemos passei passou decidi decidimos consegui entrei ganhei quebrei quebrou aceitei disse "
    "falou mandou marcou "
    "abri fechei fechamos casei separei aluguei operou operei recebi pedi pediu chegou deu virei parei larguei",
    "perfect": "desde_que ha_anos faz_anos ja_faz tenho_vindo ha_dois ha_tres ando",
    "future": "vou vai vamos vao vamos_nos pretendo planejo começo comeco começa comeca daqui_a que_vem "
    "proximo proxima previsto "
    "prevista marcado marcada irei sera",
    "month": "janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro "
    "dezembro verao inverno outono "
    "primavera natal pascoa carnaval",
    "weekday": "segunda terça terca quarta quinta sexta sabado domingo segundas terças tercas quartas "
    "quintas sextas sabados domingos "
    "segunda-feira terça-feira terca-feira quarta-feira quinta-feira sexta-feira fim_de_semana",
    "relative_date": "ontem amanha semana_passada mes_passado ano_passado semana_que_vem mes_que_vem "
    "ano_que_vem anteontem outro_dia "
    "proximo_ano no_ano_passado na_semana_passada este_ano esse_ano este_mes proximo_mes",
    "transient": "hoje agora hj neste_momento agorinha esta_manha hoje_de_manha esta_noite ainda "
    "por_enquanto daqui_a_pouco "
    "nesse_momento entretanto",
    "habit": "todo toda todos todas sempre costumo normalmente geralmente vezes por_semana por_dia "
    "por_mes diariamente todo_dia toda_semana "
    "toda_noite aos_domingos às as_terças uma_vez duas_vezes quase_sempre de_manha à_noite",
    "since": "desde ha faz_tres faz_dois ha_cinco ate a_partir pra_sempre para_sempre depois_que "
    "depois_da depois_do faz_anos faz_um",
    "health": "diagnosticado diagnosticada diagnostico alergia alergico alergica alergias intolerante "
    "intolerancia diabetes diabetico "
    "diabetica celiaco celiaca asma enxaqueca remedio remedios comprimido comprimidos mg ml insulina "
    "pressao colesterol "
    "tireoide hipotireoidismo ansiedade depressao tdah autista autismo dislexia epilepsia cirurgia "
    "operacao hospital internado "
    "internada stent enfarte infarto avc cancro cancer quimio biopsia exame exames gravida gravidez parto pneumonia "
    "bronquiolite febre infeccao antibiotico fratura artrite hernia joelho vegetariano vegetariana "
    "vegano vegana gluten "
    "lactose amendoim camarao gota glicada metformina losartana medicacao medicou receitou gesso surdo surda cego "
    "daltonico daltonica fisioterapia terapia psiquiatra sobrio apneia coluna labirintite",
    "diet": "como come comer carne peixe leite açucar acucar alcool bebo café cafe picante vegetariano "
    "vegetariana vegano vegana gluten lactose",
    "work": "trabalho trabalha trabalhar emprego vaga cargo salario promovido promovida chefe dou_aula "
    "aula aulas professor professora "
    "enfermeira enfermeiro engenheira engenheiro desenvolvedor desenvolvedora advogada advogado medica "
    "medico autonomo autonoma "
    "mei empresa loja padaria oficina clinica escritorio aposentado aposentada faculdade mestrado "
    "doutorado tcc tese curso "
    "estudo estudante prova concurso estagio plantao turno contratado contratada demitido demitida "
    "demissao time equipa "
    "equipe cliente contrato motorista cozinheira cozinheiro manicure biologa biologo arquiteta "
    "arquiteto designer vendedora "
    "vendedor dono dona escola universidade politecnico coordenadora coordenador",
    "home": "moro mora moramos vivo vive vivemos aluguel alugo aluguei apartamento ape casa sitio "
    "fazenda quitinete kitnet mudei mudamos "
    "mudar cresci nasci bairro cidade interior financiamento prestacao hipoteca senhorio renda",
    "possess": "tenho temos tinha tem ganhei comprei uso usa usamos meu_carro tenho_um tenho_uma "
    "tenho_dois roda_em rodamos",
    "identity": "sou me_chamo chamo-me meu_nome se_chama chama-se chamado chamada anos faz_anos fez "
    "nome_é é_o é_a como_mae sou_um sou_uma",
    "preference": "gosto gosta gostamos adoro adora amo ama odeio odeia detesto detesta prefiro prefere "
    "preferimos favorito favorita "
    "preferido preferida nao_gosto nao_suporto nao_aguento nao_curto curto nao_quero nao_como nao_bebo "
    "so_bebo so_como "
    "nem_que_me enjoa nao_tolero me_irrita fã fa nao_abro_mao",
    "goal": "meta objetivo sonho quero_correr quero_aprender quero_fazer quero_passar quero_ir "
    "quero_mudar quero_abrir queria_parar "
    "pretendo planejo juntando juntar guardar treinando tentando tentar espero vontade_de quero_comprar "
    "quero_tirar quero_viajar "
    "quero_terminar quero_perder quero_parar gostava_de_ir gostaria_de_aprender estou_a_aprender aprendendo poupar",
    "decision": "decidi decidimos decidido decidiu decisao combinamos combinado escolhemos escolhi "
    "fechamos bateu_o_martelo bati_o_martelo "
    "vai_ser vai_ficar fica_em ficamos vamos_com vamos_usar nao_vou nao_vamos regra regras deve tem_que "
    "tem_de orcamento teto "
    "prazo release entrega só_faz so_faz aprovado aprovada definido definimos definiu no_maximo "
    "obrigatorio proibido optamos optei resolvi "
    "resolvemos desisti",
    "event": "nasceu morreu faleceu casamento casei casou noivado divorcio separei aniversario formatura "
    "funeral velorio entrevista prova "
    "concerto show viagem voo ferias batizado cha festa consulta cirurgia exame ensaio maratona corrida "
    "lancamento congresso "
    "defesa prazo reuniao acidente assalto roubaram ganhei perdi mudei comecei começo comeco aceitei "
    "demitido promovida promovido "
    "passei reprovei comprei vendi adotei adotamos internado internada fez_anos parto consegui_a_vaga "
    "enterrar apresentacao",
    "emotion": "ansioso ansiosa ansiedade medo apavorado apavorada preocupado preocupada sozinho sozinha "
    "triste tristeza estressado "
    "estressada culpa culpado culpada vergonha orgulho orgulhoso orgulhosa saudade saudades ciume "
    "nervoso nervosa luto choro "
    "chorei chorar sinto me_sinto angustia angustiada panico desanimado desanimada esgotada esgotado "
    "exausta exausto feliz "
    "furioso furiosa irritada irritado insegura inseguro coracao_aperta",
    "smalltalk": "chuva chove chovendo sol calor frio transito onibus autocarro trem cafe_na fila sono "
    "cansado cansada fome kkk kkkk kkkkk "
    "kkkkkk rs rsrs haha barulho oi ola bom_dia boa_tarde boa_noite obrigado obrigada valeu desculpa "
    "desculpe enfim aff "
    "ventilador ar_condicionado vixe eita nevoeiro vento almoco lanche gelo cerveja pernilongo mercado "
    "impressora sopa gelado",
    "filler": "entao bom enfim ah ai tipo ne olha opa cara gente alias fora_isso de_resto no_mais "
    "já_agora ja_agora aí",
    "task": "email e-mail texto carta mensagem lista tabela rascunho versao paragrafo linha linhas "
    "titulo frase frases assunto resposta "
    "palavras legenda cartaz slides slide redacao relatorio resumo convite modelo topicos fonte post "
    "discurso receita cardapio "
    "planilha formula script query roteiro rima verso refrao letra poema conto nomes ideia ideias dicas "
    "exemplo exemplos checklist "
    "cronograma rotulo horario calculo conta",
    "code": "erro erros bug trava crash stack excecao funcao coluna colunas null undefined log logs "
    "compila build comando flag regex "
    "endpoint imagem console syntax import loop variavel classe metodo api request timeout porta "
    "container falha debug tela",
    "tech": "servidor host producao deploy repo repositorio branch postgres mysql sqlite redis graphql "
    "rest python rust go typescript "
    "react svelte vue django drf kubernetes docker debian ubuntu mac windows notebook banco_de_dados "
    "bigquery dbt airflow backend "
    "frontend front hetzner aws ci pipeline migration migrations framework monolito monólito "
    "microservico stack versao commits pr prs "
    "codigo snake_case flutter java kotlin",
    "hedge": "talvez acho acho_que sei_la quem_sabe provavelmente nao_sei parece pode_ser_que sera_que "
    "tipo_assim meio quiçá "
    "imagino suponho se_calhar estou_pensando to_pensando",
    "hypothetical": "e_se se_eu_fosse se_eu_tivesse supondo suponha imagine imagina digamos hipotetico "
    "hipotetica hipotese teria seria "
    "se_a_gente_tivesse se_eu_largasse se_eu_ganhasse se_tu vamos_supor",
    "conditional": "se caso senao a_menos_que",
    "generic": "a_maioria em_geral dizem segundo pesquisas normalmente_as geralmente_as é_comum",
    "reported": "diz disse falou contou fala_que diz_que comentou jura acha_que ouvi li_que garante",
    "deictic": "isto isso aquilo este esta esse essa aqui ai la abaixo acima nisto nisso",
    "assistant_feedback": "que_voce_passou que_vc_passou voce_mandou vc_mandou sua_sugestao tua_sugestao "
    "nao_funcionou nao_deu_certo deu_erro "
    "mesmo_erro vou_testar vou_tentar com_certeza_vou depois_te_conto ja_tentei tentei te_mando te_conto "
    "me_passou o_que_voce_disse",
    "money": "salario aluguel orcamento poupanca prestacao divida financiamento reais euros mil conto "
    "pila pago paga custa preco cache renda parcela grana "
    "r$",
    "number_word": "um dois duas tres quatro cinco seis sete oito nove dez onze doze quinze vinte trinta "
    "cem mil meia",
    "unit": "kg quilos quilo km metros cm mg ml horas hora minutos min anos ano meses mes semanas dias "
    "gb reais euros litros h",
    "superlative": "pior melhor primeiro primeira ultimo ultima maior menor",
    "replies": "suas_respostas tuas_respostas sua_resposta me_responda me_responde me_responder responda_me responda "
    "responde respostas quando_me quando_for quando_puser quando_mandar quando_escrever quando_fizer quando_der "
    "tudo_que_voce tudo_o_que sempre_que me_trate me_trata trate_me trata_me me_chame me_chama fala_comigo escreva "
    "escreva_me me_escreva",
    "memory": "anota anote guarda guardar lembra lembre pra_contextualizar para_contexto contexto "
    "so_pra_saber para_que_saiba fica_sabendo regra_de_ouro "
    "novidade novidades atualizacao a_proposito por_sinal outra_coisa pra_vc_guardar nao_esquece "
    "não_esqueças nao_esqueças aproveito fora_isso",
    "nickname": "me_chamo chamo-me meu_nome pode_me_chamar me_chama_de me_chame_de",
    "hobby": "toco toca banda coral violao guitarra piano violino sanfona bateria corro corrida natacao "
    "escalada bicicleta nado croche "
    "costura ceramica pintura jardim horta xadrez futebol tenis ioga yoga danca dançar danço canto pesca "
    "fotografia capoeira canoagem surf",
}


#: Words of the rules that belong to these classes, too.
_RULE_WORDS: Mapping[str, Mapping[str, frozenset[str]]] = {
    language: {
        "kin": lists.KIN,
        "role_person": lists.ACQUAINTANCES,
        "work": lists.JOBS | lists.SCHOOLING,
        "health": lists.CONDITIONS | lists.TREATMENTS,
        "diet": lists.DIETS,
        "identity": lists.STATES | lists.NATIONALITIES,
        "emotion": lists.FEELINGS,
        "event": lists.OCCASIONS,
        "hobby": lists.PLAYABLE | lists.FEATS,
        "body": lists.BODY,
    }
    for language, lists in (("en", en), ("pt", pt))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVocabulary:
    """Word classes of one language: the classes of each phrase, by its first word."""

    classes_by_phrase: Mapping[tuple[str, ...], tuple[str, ...]]
    max_words_by_first: Mapping[str, int]

    def classes_at(self, words: tuple[str, ...], position: int) -> Iterator[str]:
        """Yield the classes of all phrases that start at a word; "hike's" counts as "hike"."""
        longest = self.max_words_by_first.get(words[position], 0)
        for length in range(1, min(longest, len(words) - position) + 1):
            yield from self.classes_by_phrase.get(words[position : position + length], ())
        if not longest and words[position].endswith("'s"):
            yield from self.classes_by_phrase.get((words[position][:-2],), ())


def _build(language: str, lists: Mapping[str, str]) -> SentenceVocabulary:
    classes: dict[tuple[str, ...], list[str]] = {}
    longest: dict[str, int] = {}
    rule_words = _RULE_WORDS[language]
    for name in dict.fromkeys((*lists, *rule_words)):
        entries = [tuple(map(fold, entry.split("_"))) for entry in lists.get(name, "").split()]
        for phrase in (*entries, *((word,) for word in sorted(rule_words.get(name, ())))):
            if name not in (members := classes.setdefault(phrase, [])):
                members.append(name)
            longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return SentenceVocabulary(
        classes_by_phrase={phrase: tuple(names) for phrase, names in classes.items()},
        max_words_by_first=longest,
    )


SENTENCE_VOCABULARIES: Mapping[str, SentenceVocabulary] = {
    "en": _build("en", _ENGLISH),
    "pt": _build("pt", _PORTUGUESE),
}
