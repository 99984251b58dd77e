"""English sentences, each after how strongly felt it is, in hundredths."""

RATED = """
00 The meeting moved to room 12 on the second floor.
00 Water boils at a lower temperature at high altitude.
00 Set the timeout to thirty seconds in the configuration file and restart the service.
00 The parcel weighs 2.4 kilograms and was posted on 3 May.
00 Run the installer, accept the licence, and choose the folder for the data.
00 The library opens at nine and closes at six, except on Sundays.
00 The function returns a list of tuples sorted by name; ties keep their order.
00 The committee approved the minutes of 14 March without changes.
00 Section 4 describes the format of the index and how it is rebuilt after a crash.
00 A square has four equal sides and four right angles.
00 Order 88213 consists of two boxes of envelopes and one of labels.
00 The municipality covers 42 square kilometres and had 3,811 inhabitants at the last census.
00 If the process is killed by a fatal error, the lock file is removed at the next start.
00 The bridge was built between 1886 and 1889 and carries a railway and a road.
05 The train from platform 4 leaves at 7:40 now.
05 Could you send me the spreadsheet by Friday?
05 I parked on the left side, next to the recycling bins.
05 Our new colleague starts on Monday and will sit by the window.
05 Remember to buy bread, eggs and washing powder.
05 The dentist's practice has a new phone number.
05 She works in the accounts department and lives in Leeds.
05 My passport expires in October next year.
05 The kids' swimming lesson is on Wednesdays at four.
05 The battle lasted two days and about four thousand soldiers were killed on both sides.
05 The disease is caused by a bacterium and, if untreated, can lead to death within weeks.
05 He was born in Vienna in 1871, studied law, and died in Zurich in 1938.
05 The novel tells of a widow who loses her only son in the war and goes mad with grief.
05 The film received mixed reviews; critics praised the fear and tension of its opening scene.
05 The heart pumps blood through the arteries; its rate rises under stress and pain.
05 The victim's family may apply for compensation within two years of the offence.
05 The emperor was murdered by his own guards, and his brother succeeded him.
05 The update fixes a critical bug that killed worker processes and lost messages.
05 We use the red folder for invoices and the blue one for contracts.
05 You can find the manual in the drawer under the printer.
08 I had rice and vegetables and then did the laundry.
08 We talked about the schedule for the spring and who takes the keys.
08 I moved the sofa to the other wall.
08 I've been using the new calendar for a week.
08 He takes his coffee without sugar.
08 It rained in the morning and cleared up after lunch.
08 I go to the gym on Tuesdays, mostly for the rowing machine.
08 We watched a documentary on bridges last night.
08 My sister lives two streets from the station.
08 They're painting the stairwell this week, use the back door.
08 Hi! Yes, I got your message, I'll bring the cable tomorrow.
10 Wow!!! The new paper clips are here!!!
10 THANK YOU SO MUCH!!! Received the form!!!
10 Hello!! Any news about the parking permit??
10 Great, thanks! See you at three!
12 Haha okay, let's meet at the other door then.
12 URGENT!!! Please return the projector remote!!!
12 OMG the vending machine takes cards now lol.
14 I love this stapler, honestly.
15 LOL the cat sat on the keyboard during the call again.
15 Worst sandwich ever, lol. Anyway, back at one.
15 I'm dying, the intern named the file final_final_2.
15 Ugh, this password again. Reset it, done.
18 I could kill for a coffee right now. Want one?
18 Amazing!!! They fixed the door handle!!!
18 I'm obsessed with this highlighter, ten out of ten.
18 Kill me now, another form to fill in. Fine, sent.
20 Noooo, the biscuits are gone! Who did this!
20 OMG I'm literally crying, they changed the logo colour!!
22 Total catastrophe!!! The coffee machine is out of beans!!!
25 Aaargh, I hate this printer so much!!! It jammed again lol.
25 I nearly had a heart attack, I thought the meeting was today. It's tomorrow.
15 The new chairs are fine, a bit low perhaps.
15 The soup was nice, I might make it again.
18 I quite like the new office, there's more light.
18 The walk by the canal was pleasant.
20 It was okay, a normal Sunday, we took it easy.
20 I prefer the blue one, but either is all right.
20 The film was fairly good, a little long.
22 I'm getting used to the new keyboard.
22 It's a cosy little café, I'd go again.
22 The commute is a bit tedious on Mondays.
25 I didn't sleep much, so I'm rather tired today.
25 Nice to see the sun after a week of rain.
25 My back is a bit stiff after moving the boxes.
25 It's slightly annoying that the lift is out of order.
25 I enjoyed the pottery class, I think I'll go again.
25 Hey, good to hear from you! How have you been? What's new?
28 I'm looking forward to the barbecue on Saturday.
28 A bit of a shame that the market was cancelled.
28 I was mildly surprised that nobody had asked.
28 That sounds fun! I'd like to try that some time.
30 I'm pleased with how the shelves turned out.
30 It was a nice surprise to get your postcard.
30 I'm a little nervous about the presentation tomorrow.
30 I was somewhat irritated by the tone of the e-mail.
30 The children liked the puppet show.
30 There was mild concern about the new opening hours.
30 A minor earthquake damaged several houses; nobody was hurt.
32 I'd have liked a slightly larger room, but never mind.
32 It's a pity Sam couldn't make it to dinner.
32 I was a bit disappointed with the hotel.
33 Feeling a bit low today, probably the weather.
34 I miss the old bakery on the corner a little.
35 That's so sweet of you, thank you for remembering my birthday!
35 The bus was cancelled twice this week, it's getting on my nerves.
35 A neighbour shovelled our path before we woke up, that warmed me.
35 Two hundred people lost their homes in the flood, the paper said.
36 I'm not exactly happy about the new schedule.
38 I've been feeling kind of lonely since the others moved out.
38 I'm slightly worried about the results.
40 I was rather upset that nobody asked me first.
40 Congrats on the new job! I'm really happy for you!
40 I felt a bit left out at the party.
40 Painting calms me down after a hard day, it means a lot to me.
42 I feel guilty for not calling my grandmother back.
42 I was annoyed that they moved the deadline without telling us.
42 I'm stressed, three deliveries are due this week.
43 I was happy when the letter came.
44 I was jealous when she showed us the photographs.
44 I'm nervous about meeting his parents tonight.
45 It stung that my name was missing from the list.
45 We laughed until our sides hurt at his impression of the boss.
45 I felt awkward among all those people I no longer know.
45 I'm homesick, everything here smells different.
46 I can't wait for the concert, I've counted the days since March.
47 I was ashamed when the teacher read my note aloud.
48 It made me sad to see the old cinema boarded up.
48 I'm so happy, my first article was published today!
48 I was frustrated after the fifth failed attempt.
50 I'm worried about my brother, he hardly eats any more.
50 I was relieved when the scan turned out to be clear.
50 I'm really sick of the noise from the building site.
50 I blushed all over when I realised that I had sent it to everyone.
50 I sent sixty applications this year. Nobody has answered.
50 The residents shouted at the mayor and several left in protest.
50 Parents were angry about the closure and demanded that the head resign.
52 I'm so nervous about the exam that I've gone over everything twice.
52 I'm really proud that I ran the whole ten kilometres.
52 My colleague presented my idea as hers again. I said nothing.
52 I sat in the car for ten minutes before I could go in to work.
54 The customer yelled at me in front of everybody.
54 I was scared walking home last night, someone followed me for a while.
55 I'm angry that he lied to me about the money.
55 We got the puppy! The children jumped around the kitchen!
55 I still have his number in my phone. I know nobody will pick up.
55 I'm exhausted, every day is a struggle and nobody helps.
55 Nobody came to my birthday. I put the cake back into the fridge.
55 It's been a tough year since the divorce, but my friends keep me going.
56 I feel so alone in this city.
57 I passed! I passed my driving test at the fourth try!
58 I got the promotion, I've been grinning all day!
58 I'm really hurt that my best friend didn't invite me.
58 My hands were shaking when I opened the envelope.
60 I can't sleep, I keep going over what the doctor might say.
60 We have lost the flat, we must be out by the end of the month.
60 I burst into tears in the middle of the supermarket.
60 My heart was pounding when they called my name.
62 I've been anxious for weeks and I can hardly eat.
62 I'm so grateful to the woman who stayed with me until the ambulance came.
62 Our dog had to be put down this morning. His lead hangs on the hook.
62 I'm incredibly proud of my daughter, she's the first of us to finish school.
62 The bank called about the house. We have until Friday.
64 She no longer recognises the photographs. She asked who the girl was; it was me.
64 I haven't changed the sheets on his side of the bed.
65 I'm so ashamed of what I said to her that I can't look in the mirror.
65 I broke down when they played our song.
65 He moved out on Sunday. There is one toothbrush in the glass.
65 They gave me my notice after twenty-two years, with a cardboard box.
65 I found her diary while clearing the flat. I'm on every page.
65 She left the ring on the kitchen table and took the night train.
65 We signed the divorce papers and then shook hands like strangers.
66 My father has asked me for the third time today when mother is coming home.
66 I'm so furious I could scream: they sold my bike without asking.
66 I got in! After four rejections, the medical school said yes! I'm crying!
68 I'm heartbroken that she left.
68 The company is bankrupt and so are we, thirty years gone in a week.
68 His chair is still at the table and nobody sits on it.
68 The baby's room is painted. We keep the door shut now.
68 My son said his first word today, at four. We had been told he never would.
70 I was humiliated in front of the whole class and I'll never forget it.
70 I was so angry that my whole body trembled.
70 They found a shadow on the scan. They want to see me tomorrow, with someone.
70 He sold my mother's house behind our backs; I'll never forgive that betrayal.
70 We won the final in extra time and I screamed until my voice was gone!
70 She said yes! I'm the happiest person on earth!
72 I'm beside myself with joy, my sister is coming home after ten years.
72 I feel completely worthless, there's no point in anything any more.
72 I held my granddaughter for the first time today and could not speak.
72 I hid in the wardrobe while he broke the door.
73 I've never felt such rage as when I saw what they had done to the old man.
74 The brakes failed on the hill and I saw the wall coming.
74 The consultant closed the door and asked whether I had come alone.
75 It's cancer. I told the children after dinner.
75 I was terrified, the boat was filling with water and I can't swim.
75 Terrified out of my mind: the man stood at the bottom of my bed.
75 My brother got out of prison today, for something he never did.
76 We stood on the roof and the water kept rising.
76 Thirty years after the adoption she wrote: I think I am your daughter.
77 I was panicking, I couldn't breathe, I thought I was going to faint.
78 I hate him. I hate him for what he did to her and I'll hate him till I die.
78 The border opened and I ran to my parents, all of us sobbing.
78 After five miscarriages, he is here. He weighs three kilos.
80 The nurse asked whether I wanted to keep the wristband. It was so small.
80 The siren stopped. Then the house across the street was gone.
80 My wife died on Thursday at four in the morning.
80 I held mum's hand until it grew cold.
80 Grandpa's funeral was today and I wept the whole way home.
80 He had a gun. I thought of my children and lay down on the floor.
82 My best friend killed himself last week. I had missed his call.
82 The surgeon came out without his mask and shook his head.
82 I'm devastated, I lost my mother yesterday and everything is black.
82 They stopped the resuscitation at 4:12. He was eleven.
82 We picked the clothes for her coffin, the yellow dress from her birthday.
84 The stranger pulled my boy out of the river, and he coughed, he coughed.
84 He beat me for years and today the court believed me.
85 They have found my brother's boat. It was empty.
85 I was shaking and screaming, the flames were between me and the children.
85 We're crying with joy, after nine years of trying we have a baby girl!
86 I was pinned in the wreck for three hours and heard my friend stop talking.
86 I was raped and I've told no one until today.
86 The kidney works! My boy will live! I can't stop sobbing!
88 Two officers in uniform stood at the door and took off their caps.
88 I saw my father shot in front of our house.
88 My daughter has been missing for six days. I leave the light on.
88 She was breathing on the monitor, and then she was not.
90 My baby was stillborn. I sang to her anyway.
90 I couldn't hold his hand any longer, the water took him.
90 The earthquake buried our whole street, I heard them call under the stones all night.
90 They're alive! All of them! I'm screaming, they are alive!
92 I don't want to live any more, I can't bear one more day of this pain.
94 My little girl is dead. My little girl is dead and I was driving.
95 No, no, no, not him, please God, not my son!
96 I found my wife and both of our boys in the ashes.
98 I howled on the floor beside his bed, my child, my only child, gone.
00 Heading levels decide where a document is cut. Sections under a heading stay together where they fit; larger ones are divided at paragraphs. The limits are settings, in characters.
03 The treaty was signed in 1713. It ended a war that had cost hundreds of thousands of lives, and it moved the border to the river. The two kingdoms later formed an alliance.
03 Symptoms include pain, fever and anxiety. In severe cases the patient may lose consciousness. Treatment consists of rest and antibiotics; most patients recover within two weeks.
05 The singer's second album was a great success and received an award for the best recording of the year. Fans loved it. She then toured in forty cities.
05 Yes, I checked it: the file is there. I think we should use the second version and ask Tom about the layout. The rest can wait until next week.
20 We went to the market and had waffles. The children played by the fountain for a while, and then we took the tram home. It was a nice day.
45 It's been a busy month! I started volunteering at the shelter and I really love it. The dogs are so happy when we come. How about you?
60 I've had a hard time lately. I lost my job in June and I'm scared that we won't manage. I try to stay strong for the kids, but at night I cry.
80 My mum passed away last week. She was everything to me. I still hear her voice in the kitchen, and I don't know how to go on.
25 Tom found the old map in the attic and was quite pleased.
30 Anna enjoyed the trip to the zoo with her cousins.
35 Her uncle gave Mia a kite, and she was delighted.
40 Ben was nervous before the recital and his sister calmed him.
42 Nora was very happy when her aunt came to visit.
45 Peter felt sad because his friend moved to another town.
45 Julia was angry with her brother for breaking the model, but forgave him later.
48 Leo was really excited about his first night in the tent.
50 Grandma's letter moved Clara; she read it three times.
52 Max felt very guilty after lying to his teacher and could not eat supper.
55 Emma was terribly scared of the thunderstorm and hid under the bed.
60 Paul cried bitterly when his hamster died, and his mother held him.
68 Ida was bullied at school for months and felt completely alone.
75 Jonas lost his mother when he was nine; he still cannot speak of it.
10 I picked up the cat from the vet at five.
12 I use garlic in nearly everything. Do you have a recipe you like?
15 Kayaking is a good way to see the coast. [shares a photo: two people in a red boat]
20 Cool! Where did you get the lamp? It goes well with the table.
25 Hey Kim! It's been ages since we last talked. So much has happened!
25 Thanks, Rob! I'll let you know how the course goes.
28 That's great to hear! Teaching kids to swim must be rewarding.
30 Your wedding pictures are lovely, it looks like a beautiful day.
30 We adopted a cat from the shelter in May, her name is Pip.
32 Wow, that's awesome! You must be really good at it by now.
35 The kids were wild about the planetarium, they talked of nothing else.
40 Volunteering there makes me feel I can really change something.
35 Rita tried the plum pudding at the fair and found it delicious; she felt happy.
35 Oscar found the comic he had long wanted and spent a delightful afternoon with it.
40 Her grandmother baked her favourite pie, and Lena was thrilled.
42 Hugo felt restless and anxious in the crowd until he found a quiet bench.
48 Nina broke the vase, felt very anxious, told her father, and he comforted her.
50 Kurt was praised in front of the class and was very proud and happy.
05 Rosa bought bread and milk on the way home.
05 Philip works at the post office and takes the bus.
05 Laura told Henry where the spare key is.
08 Martha went to the library and returned two books.
08 Joe and his uncle painted the fence on Saturday.
10 Alice had noodles with her brother and then did her homework.
10 Greta moved her desk to the window.
12 Simon takes piano lessons on Mondays with Mrs Hall.
12 Victor borrowed a ladder from his neighbour.
15 Eva prefers tea; her sister likes coffee.
18 Lucy showed Ned how to fold a paper boat.
20 Ruth's favourite colour is green, and she likes to draw.
62 Amy felt deeply humiliated when her classmates laughed at her, and she ran home crying.
58 Fred was so overjoyed about the medal that he hugged everybody.
02 The station lies on the branch line from the capital. It has two platforms and a footbridge, and is served by hourly trains. The building of 1902 is listed.
02 A component receives its values from the parent and returns what is to be shown. When a value changes, it is drawn again. Avoid changing state during drawing.
03 After graduating he joined the ministry, where he served for eleven years. In 1964 he was elected to parliament, and in 1970 he married Clara Dietz; the couple had three children.
03 The species grows to 30 centimetres. It feeds on insects and small fish, breeds in spring, and is not considered threatened. Some populations have been lost to drainage.
03 In the second season the brothers discover that their uncle has stolen the necklace. Julia confronts him, he flees, and is arrested at the border. The episode was seen by two million viewers.
03 The band released three albums before it parted in 1988. The singer then began a solo career; her first song reached number four.
05 According to legend, the prince slew the demon that had carried off his sister, and built the temple on the spot. The feast is held each August.
05 During the siege the town was burnt down and most inhabitants fled. It was rebuilt under his son, who granted it the right to hold markets.
05 The team lost the semi-final after extra time. The following year it won the cup for the first time under a new coach.
08 We're happy to announce version 3. It brings faster start-up and better error messages. Many thanks to all who reported problems.
45 I read her last text again on the tram and missed my stop.
48 Nobody saved me a seat, so I ate standing by the window.
50 My old team has lunch without me now. I see them from the stairs.
52 The letter began with "unfortunately". I folded it very small.
54 Grandma's house has new curtains. I drove past twice.
58 He remembered my coffee but not my name.
60 I told the children we were having a picnic; the power had been cut off.
62 There were four of us in the photograph, and I am the one who still sends cards.
64 The key to her flat is still on my ring.
66 The landlord changed the locks while I was at the hospital.
68 My hand went to the dog's bowl at seven, as it does every day.
70 The line moved on without us; my son's papers were the wrong colour.
72 On the platform he lifted his cap, and I knew the walk before I knew the face.
74 They asked me to bring something with her smell for the dogs.
76 My father put his hand on my shoulder for the first time since I was nine.
78 The radiologist stopped talking to me and called a colleague in.
80 The car seat was still strapped in when they towed it.
82 I signed where the nurse pointed, and they wheeled him away, and the doors swung.
84 We set the alarm for two, to hear if she was still breathing.
86 The rope went slack in my hands.
88 The teacher counted the children on the lawn and began again from one.
90 There was one blanket too many on the gym floor, and it was ours.
92 I heard him stop calling for me.
22 NOOO they discontinued my favourite gum!!! Oh well.
16 Best. Lamp. Ever!!! Thanks for the link.
14 Help!!! Which tab was it again? Found it.
"""
